#pragma once

#include <stdbool.h>

// Wrappers of variadic functions, which Swift cannot call.

/// Disables SQLite's memory statistics, which take a process-wide lock at every allocation. Returns
/// false without effect if SQLite is already initialized.
bool chime_sqlite_stop_accounting(void);

/// Makes the cost of a commit that splits a page independent of the number of pages in the cache.
/// This works only for pages of 4096 bytes. Returns false without effect if SQLite is already
/// initialized.
bool chime_sqlite_spare_the_cache(void);

struct sqlite3;

/// Makes a connection leave the file of the write-ahead log when it closes, even if it is the last
/// connection.
bool chime_sqlite_leave_log(struct sqlite3 *connection);

/// Returns free memory to the system, including memory between live allocations. This takes some
/// milliseconds for 100 MB.
void chime_give_back_memory(void);

// A VFS that buffers what SQLite writes to a database's write-ahead log, where each frame is a
// header and a page. The buffered bytes are written to the file together, at the end of the commit
// or at a sync. This is safe, because other connections never read uncommitted frames.

typedef struct chime_gathering chime_gathering;

/// Creates a VFS and registers it under a unique name, until it is freed.
///
/// - Parameter below: the VFS that writes to disk; null for the default one. It must outlive the
///   new VFS.
/// - Returns: null if there is no memory, or no VFS named `below`.
chime_gathering *chime_gathering_make(const char *name, const char *below);

/// Unregisters and frees the VFS. All its connections must already be closed.
void chime_gathering_free(chime_gathering *gathering);
