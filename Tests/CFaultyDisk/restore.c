#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "disk.h"

/// The manner of a crash, and the seed of TORN.
struct outcome {
  int manner;
  uint64_t seed;
};

/// The mixing of SplitMix64 (Steele, Lea and Flood 2014).
static uint64_t mix(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

/// Returns whether an unsynced change is lost. `number` is the number of a file or entry. If
/// `sector` is -1, the change is that of the file's size or of the name. The result does not depend
/// on the order of calls.
static int is_lost(struct outcome outcome, uint64_t number, int64_t sector) {
  if (outcome.manner != CHIME_DISK_TORN) return outcome.manner == CHIME_DISK_LOST;
  uint64_t seed = mix(outcome.seed + 0x9e3779b97f4a7c15);
  return mix(seed ^ mix(number + 1) ^ mix((uint64_t)sector * 0x9e3779b97f4a7c15)) & 1;
}

static int restore_node(struct node *node, struct outcome outcome) {
  int64_t size = node_size(node);
  int64_t end = is_lost(outcome, node->number, -1) ? node->synced_size : size;
  int is_changed = end != size;
  for (int bucket = 0; bucket < bucket_count; bucket++) {
    struct sector *sector = node->changed[bucket];
    for (; sector != NULL; sector = sector->next) {
      int64_t start = sector->number * sector_size;
      // If the size before a truncation is restored, the bytes that it cut are restored, too.
      int was_cut = end > size && start + sector_size > size;
      if (!was_cut && !is_lost(outcome, node->number, sector->number)) continue;
      is_changed = 1;
      if (pwrite(node->descriptor, sector->bytes, sector_size, start) < 0) return errno;
    }
  }
  return is_changed && ftruncate(node->descriptor, end) != 0 ? errno : 0;
}

static int copy(int source, int target) {
  char buffer[1 << 16];
  for (off_t offset = 0;;) {
    ssize_t count = pread(source, buffer, sizeof buffer, offset);
    if (count == 0) return 0;
    if (count < 0 || pwrite(target, buffer, (size_t)count, offset) != count) return errno;
    offset += count;
  }
}

/// Restores the file that a name had when its directory was synced, if the change of the name is
/// lost.
static int restore_entry(struct entry *entry, struct outcome outcome) {
  if (!is_lost(outcome, entry->number, -1)) return 0;
  struct stat status;
  struct node *durable = entry->durable;
  if (stat(entry->path, &status) == 0) {
    if (durable != NULL && durable->inode == status.st_ino) return 0;
    if (unlink(entry->path) != 0) return errno;
  }
  if (durable == NULL) return 0;
  int target = open(entry->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  // If the directory was deleted, the name is not restored.
  if (target < 0) return errno == ENOENT ? 0 : errno;
  int code = copy(durable->descriptor, target);
  close(target);
  return code;
}

static int restore_all(chime_disk *disk, struct outcome outcome) {
  int code = 0;
  for (struct node *node = disk->nodes; node != NULL && code == 0; node = node->next) {
    code = restore_node(node, outcome);
  }
  for (struct entry *entry = disk->entries; entry != NULL && code == 0; entry = entry->next) {
    code = restore_entry(entry, outcome);
  }
  disk_forget(disk);
  return code;
}

int chime_disk_restore(chime_disk *disk, int manner, uint64_t seed) {
  pthread_mutex_lock(&disk->lock);
  int code = manner == CHIME_DISK_KILLED ? 0 : restore_all(disk, (struct outcome){manner, seed});
  disk->is_halted = 0;
  disk->halt_in = 0;
  pthread_mutex_unlock(&disk->lock);
  return code;
}
