#pragma once

#include <stdbool.h>

// What takes a variable number of arguments, which Swift cannot call.

/// Stops SQLite from keeping account of the memory that it uses, which takes a lock of the whole
/// process at every allocation. False if SQLite is in use already, and then nothing has changed.
bool chime_sqlite_stop_accounting(void);
