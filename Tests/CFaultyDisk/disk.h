#pragma once

#include <pthread.h>
#include <sqlite3.h>
#include <stdint.h>
#include <sys/types.h>

#include "CFaultyDisk.h"

enum { sector_size = 512, bucket_count = 4096 };

/// The synced bytes of a sector that was changed since its last sync. Bytes beyond the end of the
/// file are 0.
struct sector {
  struct sector *next;
  int64_t number;
  /// Whether a sync of the sector failed. Further syncs skip the sector until it is written again.
  int is_stuck;
  unsigned char bytes[sector_size];
};

/// A file, independent of its name.
struct node {
  struct node *next;
  /// The file's position in the order in which files and entries are first used. It does not depend
  /// on the file system, so a seed has the same result in each run.
  uint64_t number;
  dev_t device;
  ino_t inode;
  /// Open until the disk forgets the file, because closing it would release the process's locks on
  /// the file. While the descriptor is open, the inode number cannot be reused.
  int descriptor;
  /// Whether the next sync of the file also syncs its directory, as SQLite does for new journals.
  int is_new_journal;
  int64_t synced_size;
  /// The changed sectors that are not synced, by their number modulo `bucket_count`.
  struct sector *changed[bucket_count];
};

/// A name that was created or deleted since its directory was synced.
struct entry {
  struct entry *next;
  /// As `number` of a file.
  uint64_t number;
  /// The file of that name in the synced directory; null if there is none.
  struct node *durable;
  char path[];
};

/// The rule of failures; see `chime_disk_fail`.
struct rule {
  int call, code;
  int64_t countdown, times;
};

struct chime_disk {
  sqlite3_vfs vfs;
  sqlite3_vfs *real;
  pthread_mutex_t lock;
  struct node *nodes;
  struct entry *entries;
  uint64_t next_number;
  struct rule rule;
  int64_t calls[CHIME_DISK_CALLS];
  int64_t faults, limit, halt_in;
  int is_halted, ignores_sync;
  char name[];
};

/// The decision whether a call fails, made before the call is executed.
struct verdict {
  /// The result code of SQLite; a failure unless it is SQLITE_OK.
  int code;
  /// Whether the process has died at an earlier call. Then this call has no effect at all.
  int is_late;
};

// The caller of all functions below must hold the lock.

/// Counts a call, and decides whether it fails by the rule or the halt.
struct verdict disk_enter(chime_disk *, int call);
void disk_fill_vfs(chime_disk *);

/// Returns the file of a name; null if there is none. A file that is used for the first time counts
/// as synced.
struct node *node_at(chime_disk *, const char *path);
/// Saves the current bytes of a range's sectors, before the range is written. Sectors that are
/// saved already are skipped.
int node_keep(struct node *, int64_t from, int64_t to);
/// Marks the changed sectors as synced; if the sync failed, as stuck.
void node_sync(struct node *, int is_failed);
int64_t node_size(const struct node *);
/// Returns whether the file still has a name.
int node_is_named(const struct node *);
/// Records the synced file of a name, before the name is created or deleted. A name that is
/// recorded already is skipped.
int entry_note(chime_disk *, const char *path, struct node *durable);
/// Marks the names in the directory of a path as synced.
void entries_sync(chime_disk *, const char *path);
/// Forgets all files and names, so that their current state counts as synced.
void disk_forget(chime_disk *);
