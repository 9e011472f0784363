#include "disk.h"

#include <stdlib.h>
#include <string.h>

chime_disk *chime_disk_make(const char *name) {
  sqlite3_vfs *real = sqlite3_vfs_find("unix");
  if (real == NULL || sqlite3_vfs_find(name) != NULL) return NULL;
  size_t length = strlen(name) + 1;
  chime_disk *disk = calloc(1, sizeof *disk + length);
  if (disk == NULL) return NULL;
  memcpy(disk->name, name, length);
  disk->real = real;
  disk->limit = -1;
  pthread_mutex_init(&disk->lock, NULL);
  disk_fill_vfs(disk);
  if (sqlite3_vfs_register(&disk->vfs, 0) == SQLITE_OK) return disk;
  free(disk);
  return NULL;
}

void chime_disk_free(chime_disk *disk) {
  sqlite3_vfs_unregister(&disk->vfs);
  disk_forget(disk);
  pthread_mutex_destroy(&disk->lock);
  free(disk);
}

struct verdict disk_enter(chime_disk *disk, int call) {
  disk->calls[call]++;
  struct verdict verdict = {SQLITE_OK, disk->is_halted};
  if (disk->halt_in > 0 && --disk->halt_in == 0) disk->is_halted = 1;
  struct rule *rule = &disk->rule;
  if (disk->is_halted) {
    verdict.code = SQLITE_IOERR;
  } else if (rule->countdown > 0 && (rule->call == -1 || rule->call == call)) {
    if (rule->countdown > 1) {
      rule->countdown--;
    } else {
      verdict.code = rule->code;
      if (rule->times > 0 && --rule->times == 0) rule->countdown = 0;
    }
  }
  if (verdict.code != SQLITE_OK) disk->faults++;
  return verdict;
}

void chime_disk_fail(chime_disk *disk, int call, int64_t n, int code, int64_t times) {
  pthread_mutex_lock(&disk->lock);
  disk->rule = (struct rule){call, code, times == 0 ? 0 : n, times};
  pthread_mutex_unlock(&disk->lock);
}

int64_t chime_disk_calls(const chime_disk *shared, int call) {
  chime_disk *disk = (chime_disk *)shared;
  pthread_mutex_lock(&disk->lock);
  int64_t count = 0;
  for (int kind = 0; kind < CHIME_DISK_CALLS; kind++) {
    if (call == -1 || call == kind) count += disk->calls[kind];
  }
  pthread_mutex_unlock(&disk->lock);
  return count;
}

int64_t chime_disk_faults(const chime_disk *shared) {
  chime_disk *disk = (chime_disk *)shared;
  pthread_mutex_lock(&disk->lock);
  int64_t faults = disk->faults;
  pthread_mutex_unlock(&disk->lock);
  return faults;
}

void chime_disk_limit(chime_disk *disk, int64_t bytes) {
  pthread_mutex_lock(&disk->lock);
  disk->limit = bytes;
  pthread_mutex_unlock(&disk->lock);
}

void chime_disk_halt(chime_disk *disk, int64_t n) {
  pthread_mutex_lock(&disk->lock);
  disk->halt_in = n;
  if (n == 0) disk->is_halted = 0;
  pthread_mutex_unlock(&disk->lock);
}

int chime_disk_is_halted(const chime_disk *shared) {
  chime_disk *disk = (chime_disk *)shared;
  pthread_mutex_lock(&disk->lock);
  int is_halted = disk->is_halted;
  pthread_mutex_unlock(&disk->lock);
  return is_halted;
}

void chime_disk_ignore_sync(chime_disk *disk, int ignores) {
  pthread_mutex_lock(&disk->lock);
  disk->ignores_sync = ignores;
  pthread_mutex_unlock(&disk->lock);
}
