#pragma once

#include <stdbool.h>

// Wrappers of variadic functions, which Swift cannot call.

/// Turns off SQLite's memory statistics, which take a process-wide lock at every allocation. False,
/// without a change, if SQLite is already in use.
bool chime_sqlite_stop_accounting(void);

/// Makes the cost of a commit that splits a page of 4096 bytes depend on its own pages, not on all
/// pages in the cache. False, without a change, if SQLite is already in use.
bool chime_sqlite_spare_the_cache(void);

struct sqlite3;

/// Turns off the checkpoint when the last connection is closed.
bool chime_sqlite_leave_log(struct sqlite3 *connection);

/// Returns freed memory between allocations to the system. Takes some milliseconds for 100 MB.
void chime_give_back_memory(void);

// A VFS that buffers SQLite's writes to the log (WAL), two for each page. It writes them at once,
// at the end of the commit or when the log is synced. Other connections do not read uncommitted
// frames, so the delay is safe.

typedef struct chime_gathering chime_gathering;

/// Registers a buffering VFS under a unique name, until it is freed.
///
/// - Parameter below: the VFS that accesses the disk; null for the default one. It must stay
///   registered.
/// - Returns: null if memory is short, or there is no VFS of the name `below`.
chime_gathering *chime_gathering_make(const char *name, const char *below);

/// Unregisters the VFS; every connection opened by it must be closed.
void chime_gathering_free(chime_gathering *gathering);
