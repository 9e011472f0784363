#ifndef CCONSOLE_H
#define CCONSOLE_H

#include <stddef.h>

/// A file of the console, embedded when this module is compiled.
struct console_file {
  const char *name;
  const unsigned char *bytes;
  size_t length;
};

/// The files one after the other, from 0 on; NULL behind the last.
const struct console_file *console_file(size_t index);

#endif
