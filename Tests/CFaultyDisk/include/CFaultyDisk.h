#pragma once

#include <stdint.h>

// A disk that fails on demand: an SQLite VFS that wraps the standard "unix" VFS and its files. It
// counts calls, makes chosen calls fail, and records which sectors are not synced, to simulate a
// power cut. Its functions are thread-safe.

typedef struct chime_disk chime_disk;

// Calls on temporary files without a name are counted and fail like other calls, but such files do
// not survive a crash. Locks and shared memory belong to the kernel: locking and mapping are
// counted and can fail, but a restore does not change their state.
enum chime_disk_call {
  CHIME_DISK_OPEN,
  CHIME_DISK_READ,
  CHIME_DISK_WRITE,
  CHIME_DISK_SYNC,
  CHIME_DISK_TRUNCATE,
  CHIME_DISK_SIZE,
  CHIME_DISK_LOCK,
  CHIME_DISK_SHARE,
  CHIME_DISK_DELETE,
  CHIME_DISK_ACCESS,
  CHIME_DISK_CALLS
};

enum chime_disk_manner { CHIME_DISK_KILLED, CHIME_DISK_LOST, CHIME_DISK_TORN };

/// Registers a VFS with a unique name. Returns null if the name is in use or memory is exhausted.
chime_disk *chime_disk_make(const char *name);

/// Unregisters and frees the VFS. No connection may be open.
void chime_disk_free(chime_disk *);

/// Replaces the rule of failures: calls fail with a code of SQLite, beginning with the n-th call
/// from now (1 is the next). If n is 0, no call fails.
///
/// - call: the kind of call, or -1 for any kind.
/// - times: how many calls fail; -1 for all further calls.
///
/// A write that fails writes half of its bytes. Bytes whose sync has failed stay unsynced at later
/// syncs, as on Linux, until they are written again.
void chime_disk_fail(chime_disk *, int call, int64_t n, int code, int64_t times);

/// Returns the number of calls of a kind, or of all kinds if `call` is -1.
int64_t chime_disk_calls(const chime_disk *, int call);

/// Returns the number of calls that failed by a rule, the limit or the halt.
int64_t chime_disk_faults(const chime_disk *);

/// Limits the total size of the disk's files in bytes; -1 ends the limit. A write beyond the limit
/// writes the bytes that fit and fails with SQLITE_FULL.
void chime_disk_limit(chime_disk *, int64_t bytes);

/// Halts the disk at the n-th call of any kind from now, as if the process died. This call and all
/// later calls fail with SQLITE_IOERR. They have no effect, except that the n-th call writes half
/// of its bytes if it is a write. If n is 0, ends the halt, or prevents one that was to come.
void chime_disk_halt(chime_disk *, int64_t n);
int chime_disk_is_halted(const chime_disk *);

/// Changes the real files to what a disk would contain after a crash, and ends the halt. Every
/// connection must be closed. Returns 0 or an errno.
///
/// - KILLED: only the process died. All writes are kept, and unsynced writes stay unsynced.
/// - LOST: a power cut. Only synced writes are kept.
/// - TORN: a power cut. The seed decides which unsynced changes are kept: of each sector of 512
///   bytes, of each file's size, and of each name.
///
/// After LOST and TORN everything counts as synced.
int chime_disk_restore(chime_disk *, int manner, uint64_t seed);

/// If 1, syncs succeed without effect, as on a disk that ignores them; 0 ends this.
void chime_disk_ignore_sync(chime_disk *, int);
