#pragma once

#include <stdbool.h>

// Wrappers of variadic functions, which Swift cannot call.

/// Disables SQLite's memory statistics, which take a process-wide lock at every allocation. Returns
/// false without effect if SQLite is already initialized.
bool chime_sqlite_stop_accounting(void);

/// Makes the cost of a commit that splits a page of 4096 bytes grow with the commit's own pages,
/// not with all pages in the cache. Returns false without effect if SQLite is already initialized.
bool chime_sqlite_spare_the_cache(void);

struct sqlite3;

/// Makes a connection keep the file of the write-ahead log when it closes, even if it is the last
/// connection.
bool chime_sqlite_leave_log(struct sqlite3 *connection);

/// Returns free memory to the system, including that between live allocations. Takes some
/// milliseconds for 100 MB.
void chime_give_back_memory(void);

// A VFS that buffers what SQLite writes to a database's write-ahead log, where each frame is a
// header and a page. The file gets all of it in one write, at the end of the commit or at a sync.
// That is safe: other connections never read uncommitted frames.

typedef struct chime_gathering chime_gathering;

/// Registers a VFS under a unique name, until it is freed.
///
/// - Parameter below: the VFS that writes to disk; null for the default one. It must outlive this
///   one.
/// - Returns: null if there is no memory, or no VFS named `below`.
chime_gathering *chime_gathering_make(const char *name, const char *below);

/// Unregisters the VFS. All its connections must be closed before.
void chime_gathering_free(chime_gathering *gathering);
