#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "disk.h"

/// A file that a connection has open.
struct file {
  sqlite3_file base;
  chime_disk *disk;
  /// Null for a file without a name.
  struct node *node;
  const char *path;
  /// The errno that SQLITE_FCNTL_LAST_ERRNO returns: EIO after a failed read, as on a real disk.
  int last_error;
  /// The wrapped VFS's structure for this file, of the size `szOsFile` of that VFS.
  sqlite3_file real[];
};

static struct file *file_of(sqlite3_file *file) { return (struct file *)file; }
static sqlite3_file *wrapped(sqlite3_file *file) { return file_of(file)->real; }

/// Counts a call; returns the fault that this disk injects, or SQLITE_OK if the caller may pass the
/// call to the wrapped VFS.
static int enter(chime_disk *disk, int call) {
  pthread_mutex_lock(&disk->lock);
  int code = disk_enter(disk, call).code;
  pthread_mutex_unlock(&disk->lock);
  return code;
}

// MARK: - Files

static int file_close(sqlite3_file *file) { return wrapped(file)->pMethods->xClose(wrapped(file)); }

static int file_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  int code = enter(file_of(file)->disk, CHIME_DISK_READ);
  if (code == SQLITE_OK) return wrapped(file)->pMethods->xRead(wrapped(file), bytes, count, offset);
  file_of(file)->last_error = EIO;
  if (code == SQLITE_IOERR_SHORT_READ) memset(bytes, 0, (size_t)count);
  return code;
}

/// Returns how many of the `count` bytes of a write fit into the disk's limit.
static int64_t fitting_count(
    chime_disk *disk, struct node *target, int64_t offset, int64_t count) {
  if (disk->limit < 0 || target == NULL) return count;
  int64_t size = node_size(target);
  if (offset + count <= size) return count;
  int64_t left = disk->limit;
  for (struct node *node = disk->nodes; node != NULL; node = node->next) {
    if (node_is_named(node)) left -= node_size(node);
  }
  int64_t fitting = size + (left > 0 ? left : 0) - offset;
  return fitting < 0 ? 0 : fitting < count ? fitting : count;
}

static int write_bytes(struct file *file, const void *bytes, int64_t count, int64_t offset) {
  if (count == 0) return SQLITE_OK;
  int code = file->node == NULL ? SQLITE_OK : node_keep(file->node, offset, offset + count);
  if (code != SQLITE_OK) return code;
  return file->real->pMethods->xWrite(file->real, bytes, (int)count, offset);
}

static int file_write(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
  struct file *file = file_of(base);
  chime_disk *disk = file->disk;
  pthread_mutex_lock(&disk->lock);
  struct verdict verdict = disk_enter(disk, CHIME_DISK_WRITE);
  int64_t wanted = verdict.is_late ? 0 : verdict.code == SQLITE_OK ? count : count / 2;
  int64_t fitting = fitting_count(disk, file->node, offset, wanted);
  int code = write_bytes(file, bytes, fitting, offset);
  if (verdict.code != SQLITE_OK) {
    code = verdict.code;
  } else if (code == SQLITE_OK && fitting < wanted) {
    disk->faults++;
    code = SQLITE_FULL;
  }
  pthread_mutex_unlock(&disk->lock);
  return code;
}

static int file_truncate(sqlite3_file *base, sqlite3_int64 size) {
  struct file *file = file_of(base);
  chime_disk *disk = file->disk;
  pthread_mutex_lock(&disk->lock);
  int code = disk_enter(disk, CHIME_DISK_TRUNCATE).code;
  if (code == SQLITE_OK && file->node != NULL) {
    code = node_keep(file->node, size, node_size(file->node));
  }
  if (code == SQLITE_OK) code = file->real->pMethods->xTruncate(file->real, size);
  pthread_mutex_unlock(&disk->lock);
  return code;
}

/// Does not call the wrapped VFS: this disk decides which bytes count as synced, and tests are
/// faster without real syncs.
static int file_sync(sqlite3_file *base, int flags) {
  (void)flags;
  struct file *file = file_of(base);
  chime_disk *disk = file->disk;
  pthread_mutex_lock(&disk->lock);
  struct verdict verdict = disk_enter(disk, CHIME_DISK_SYNC);
  int is_done = file->node != NULL && !disk->ignores_sync && !disk->is_halted;
  if (is_done) node_sync(file->node, verdict.code != SQLITE_OK);
  if (is_done && verdict.code == SQLITE_OK && file->node->is_new_journal) {
    file->node->is_new_journal = 0;
    entries_sync(disk, file->path);
  }
  pthread_mutex_unlock(&disk->lock);
  return verdict.code;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
  int code = enter(file_of(file)->disk, CHIME_DISK_SIZE);
  return code != SQLITE_OK ? code : wrapped(file)->pMethods->xFileSize(wrapped(file), size);
}

static int file_lock(sqlite3_file *file, int level) {
  int code = enter(file_of(file)->disk, CHIME_DISK_LOCK);
  return code != SQLITE_OK ? code : wrapped(file)->pMethods->xLock(wrapped(file), level);
}

/// Releasing a lock never fails, not even during a halt.
static int file_unlock(sqlite3_file *file, int level) {
  return wrapped(file)->pMethods->xUnlock(wrapped(file), level);
}

static int file_is_reserved(sqlite3_file *file, int *is_reserved) {
  int code = enter(file_of(file)->disk, CHIME_DISK_LOCK);
  if (code != SQLITE_OK) return code;
  return wrapped(file)->pMethods->xCheckReservedLock(wrapped(file), is_reserved);
}

static int file_control(sqlite3_file *file, int operation, void *argument) {
  if (operation == SQLITE_FCNTL_LAST_ERRNO && file_of(file)->last_error != 0) {
    *(int *)argument = file_of(file)->last_error;
    return SQLITE_OK;
  }
  return wrapped(file)->pMethods->xFileControl(wrapped(file), operation, argument);
}

static int file_sector_size(sqlite3_file *file) {
  return wrapped(file)->pMethods->xSectorSize(wrapped(file));
}

static int file_characteristics(sqlite3_file *file) {
  return wrapped(file)->pMethods->xDeviceCharacteristics(wrapped(file));
}

// MARK: - Shared memory

static int share_map(sqlite3_file *file, int page, int size, int extend, void volatile **memory) {
  int code = enter(file_of(file)->disk, CHIME_DISK_SHARE);
  if (code == SQLITE_OK) {
    return wrapped(file)->pMethods->xShmMap(wrapped(file), page, size, extend, memory);
  }
  *memory = NULL;
  return code;
}

/// Locks of shared memory are not counted. They fail only during a halt.
static int share_lock(sqlite3_file *file, int offset, int count, int flags) {
  int is_refused = chime_disk_is_halted(file_of(file)->disk) && (flags & SQLITE_SHM_LOCK);
  if (is_refused) return SQLITE_IOERR;
  return wrapped(file)->pMethods->xShmLock(wrapped(file), offset, count, flags);
}

static void share_barrier(sqlite3_file *file) {
  wrapped(file)->pMethods->xShmBarrier(wrapped(file));
}

static int share_unmap(sqlite3_file *file, int deletes) {
  return wrapped(file)->pMethods->xShmUnmap(wrapped(file), deletes);
}

/// Version 2 of the interface has no memory-mapped files, whose reads would bypass this disk.
static const sqlite3_io_methods file_methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_is_reserved,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_characteristics,
    .xShmMap = share_map,
    .xShmLock = share_lock,
    .xShmBarrier = share_barrier,
    .xShmUnmap = share_unmap,
};

// MARK: - Names

static chime_disk *disk_of(sqlite3_vfs *vfs) { return (chime_disk *)vfs; }

/// Sets the node of an opened file. If the file is new, records its name as unsynced.
static int attach_node(struct file *file, int is_new, int flags) {
  if (file->path == NULL) return SQLITE_OK;
  file->node = node_at(file->disk, file->path);
  if (file->node == NULL) return SQLITE_CANTOPEN;
  if (!is_new) return SQLITE_OK;
  int journals = SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_WAL;
  file->node->is_new_journal = (flags & journals) != 0;
  return entry_note(file->disk, file->path, NULL);
}

static int vfs_open(
    sqlite3_vfs *vfs, const char *path, sqlite3_file *base, int flags, int *out_flags) {
  struct file *file = file_of(base);
  chime_disk *disk = disk_of(vfs);
  *file = (struct file){.disk = disk, .path = path};
  pthread_mutex_lock(&disk->lock);
  int code = disk_enter(disk, CHIME_DISK_OPEN).code;
  int is_new = path != NULL && access(path, F_OK) != 0;
  if (code == SQLITE_OK) code = disk->real->xOpen(disk->real, path, file->real, flags, out_flags);
  if (code == SQLITE_OK) {
    code = attach_node(file, is_new, flags);
    if (code == SQLITE_OK) {
      file->base.pMethods = &file_methods;
    } else {
      file_close(base);
    }
  }
  pthread_mutex_unlock(&disk->lock);
  return code;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *path, int syncs) {
  chime_disk *disk = disk_of(vfs);
  pthread_mutex_lock(&disk->lock);
  int code = disk_enter(disk, CHIME_DISK_DELETE).code;
  if (code == SQLITE_OK) {
    struct node *node = node_at(disk, path);
    if (node != NULL) code = entry_note(disk, path, node);
  }
  if (code == SQLITE_OK) code = disk->real->xDelete(disk->real, path, 0);
  if (code == SQLITE_OK && syncs && !disk->ignores_sync) entries_sync(disk, path);
  pthread_mutex_unlock(&disk->lock);
  return code;
}

static int vfs_access(sqlite3_vfs *vfs, const char *path, int flags, int *result) {
  chime_disk *disk = disk_of(vfs);
  int code = enter(disk, CHIME_DISK_ACCESS);
  return code != SQLITE_OK ? code : disk->real->xAccess(disk->real, path, flags, result);
}

static int vfs_full_path(sqlite3_vfs *vfs, const char *path, int size, char *full) {
  chime_disk *disk = disk_of(vfs);
  return disk->real->xFullPathname(disk->real, path, size, full);
}

// The wrapped VFS provides time and randomness. It expects itself as the first argument, not this
// disk.

static int vfs_randomness(sqlite3_vfs *vfs, int count, char *bytes) {
  return disk_of(vfs)->real->xRandomness(disk_of(vfs)->real, count, bytes);
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) {
  return disk_of(vfs)->real->xSleep(disk_of(vfs)->real, microseconds);
}

static int vfs_time(sqlite3_vfs *vfs, sqlite3_int64 *now) {
  return disk_of(vfs)->real->xCurrentTimeInt64(disk_of(vfs)->real, now);
}

static int vfs_days(sqlite3_vfs *vfs, double *now) {
  return disk_of(vfs)->real->xCurrentTime(disk_of(vfs)->real, now);
}

static int vfs_last_error(sqlite3_vfs *vfs, int size, char *text) {
  return disk_of(vfs)->real->xGetLastError(disk_of(vfs)->real, size, text);
}

void disk_fill_vfs(chime_disk *disk) {
  disk->vfs = (sqlite3_vfs){
      .iVersion = 2,
      .szOsFile = (int)sizeof(struct file) + disk->real->szOsFile,
      .mxPathname = disk->real->mxPathname,
      .zName = disk->name,
      .xOpen = vfs_open,
      .xDelete = vfs_delete,
      .xAccess = vfs_access,
      .xFullPathname = vfs_full_path,
      .xRandomness = vfs_randomness,
      .xSleep = vfs_sleep,
      .xCurrentTime = vfs_days,
      .xGetLastError = vfs_last_error,
      .xCurrentTimeInt64 = vfs_time,
  };
}
