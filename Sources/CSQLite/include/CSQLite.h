#pragma once

#include <stdbool.h>

// What takes a variable number of arguments, which Swift cannot call.

/// Stops SQLite from keeping account of the memory that it uses, which takes a lock of the whole
/// process at every allocation. False if SQLite is in use already, and then nothing has changed.
bool chime_sqlite_stop_accounting(void);

/// Has a commit that splits a page of 4096 bytes cost what its own pages cost, and not what all
/// pages in memory do. False if SQLite is in use already, and then nothing has changed.
bool chime_sqlite_spare_the_cache(void);

struct sqlite3;

/// Has a connection leave the log as it is when it is closed, also as the last one.
bool chime_sqlite_leave_log(struct sqlite3 *connection);

/// Gives the system back what has been freed between what is in use, which stays the process's by
/// itself. Takes some milliseconds for a hundred megabytes.
void chime_give_back_memory(void);

// A way to the disk (a VFS) that gathers what SQLite writes to a database's log: of each page a
// head and the page, one behind the other. The file gets all of it in one write, at the end of the
// commit or when the log is synced: of what is not committed yet, nobody else reads anything.

typedef struct chime_gathering chime_gathering;

/// Registers one under a name that no other VFS has, until it is freed.
///
/// - Parameter below: the VFS that reaches the disk; the usual one if null. It has to stay.
/// - Returns: null if there is no memory, or nothing of the name below.
chime_gathering *chime_gathering_make(const char *name, const char *below);

/// Every connection that was opened by it must be closed.
void chime_gathering_free(chime_gathering *gathering);
