#ifndef CCONSOLE_H
#define CCONSOLE_H

#include <stddef.h>

/// A file of the console, embedded at compile time.
struct console_file {
  const char *name;
  const unsigned char *bytes;
  size_t length;
};

/// Returns the file at an index from 0; NULL beyond the last file.
const struct console_file *console_file(size_t index);

#endif
