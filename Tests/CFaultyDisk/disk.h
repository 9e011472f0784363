#pragma once

#include <pthread.h>
#include <sqlite3.h>
#include <stdint.h>
#include <sys/types.h>

#include "CFaultyDisk.h"

enum { sector_size = 512, bucket_count = 4096 };

/// What a sector held when it was last synced. One beyond the end of the file held zeros.
struct sector {
  struct sector *next;
  int64_t number;
  /// Whether a sync of it failed: then only what is written anew reaches the disk.
  int is_stuck;
  unsigned char bytes[sector_size];
};

/// A file, whatever its name is now.
struct node {
  struct node *next;
  /// In the order in which the disk came to know them, for the seed's sake.
  uint64_t number;
  dev_t device;
  ino_t inode;
  /// Kept open for as long as the disk knows the file: to close it would give up the locks that the
  /// process has on it. So nothing else becomes of the inode either.
  int descriptor;
  /// Whether its first sync is to sync the directory too, as SQLite does with new journals.
  int is_new_journal;
  int64_t synced_size;
  /// Those that are not what was synced.
  struct sector *changed[bucket_count];
};

/// A name that has been made or deleted since the directory was synced.
struct entry {
  struct entry *next;
  uint64_t number;
  /// What is on the disk under that name; null if nothing is.
  struct node *durable;
  char path[];
};

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
  uint64_t made;
  struct rule rule;
  int64_t calls[CHIME_DISK_CALLS];
  int64_t faults, limit, halt_in;
  int is_halted, ignores_sync;
  char name[];
};

/// What becomes of a call.
struct verdict {
  int code;
  /// Whether the process is dead already, so that nothing at all is to be done.
  int is_late;
};

// All below are called with the lock held.

/// Counts a call and says what becomes of it.
struct verdict disk_enter(chime_disk *, int call);
void disk_fill_vfs(chime_disk *);

/// The file that has a name now; null if there is none. One that is met for the first time counts
/// as synced.
struct node *node_at(chime_disk *, const char *path);
/// Remembers what the sectors hold that a range lies in, before they are changed.
int node_keep(struct node *, int64_t from, int64_t to);
/// What was changed is on the disk now, or if it failed, never will be.
void node_sync(struct node *, int is_failed);
int64_t node_size(const struct node *);
int node_is_named(const struct node *);
/// Notes what the disk has under a name that is about to change.
int entry_note(chime_disk *, const char *path, struct node *durable);
/// The directory of a path is on the disk as it is now.
void entries_sync(chime_disk *, const char *path);
/// Forgets every file and name, as they are now.
void disk_forget(chime_disk *);
