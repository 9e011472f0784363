#pragma once

#include <stdint.h>

// A disk that fails on demand: a VFS of SQLite over the usual "unix". What it is given goes to real
// files; it counts the calls, fails those that it is told to, and knows which sectors were not
// synced, so that it can play a power cut. It may be used from any thread.

typedef struct chime_disk chime_disk;

// Nameless files are counted and failed as others are, but nothing of them outlives a crash. Locks
// and shared memory lie with the kernel: of them the calls are counted, and no more is known.
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

/// Registers a VFS of that name, which no other has; null if there is no memory for it.
chime_disk *chime_disk_make(const char *name);

/// Unregisters it. No connection may be open.
void chime_disk_free(chime_disk *);

/// The n-th call of that kind from now (1 is the next; a call of -1 is of any kind) and times - 1
/// more answer that code of SQLite; times -1: all from then on. Of a write half is written before
/// it fails. After a failed sync what was to be synced is not, nor will the next sync do it: so
/// does Linux. There is one rule at a time; n 0 takes it back.
void chime_disk_fail(chime_disk *, int call, int64_t n, int code, int64_t times);

/// How many calls of a kind there were; -1: of any kind.
int64_t chime_disk_calls(const chime_disk *, int call);

/// How many calls were answered with a fault, be it a rule's, the limit's or the halt's.
int64_t chime_disk_faults(const chime_disk *);

/// Gives room for that many bytes to the files together that this disk knows; of a write that would
/// grow beyond it as much as fits is written, and then it is SQLITE_FULL. -1: no limit.
void chime_disk_limit(chime_disk *, int64_t bytes);

/// The process dies at the n-th call of any kind from now: that one (of a write: the second half)
/// and all later ones do nothing and answer SQLITE_IOERR. n 0: not at all.
void chime_disk_halt(chime_disk *, int64_t n);
int chime_disk_is_halted(const chime_disk *);

/// Makes the real files what the disk would hold, and ends the halt. Every connection must be
/// closed.
///
/// KILLED keeps everything that was written, and what was not synced then is not yet: the machine
/// goes on. LOST keeps only what was synced; of what was not, TORN keeps or loses each sector of
/// 512 bytes as the seed has it, and likewise each file's size and name. What these leave is
/// synced.
/// 0, or an errno.
int chime_disk_restore(chime_disk *, int manner, uint64_t seed);

/// 1: syncs are answered OK and do nothing, as by a disk that lies.
void chime_disk_ignore_sync(chime_disk *, int);
