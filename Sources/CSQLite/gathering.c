#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "CSQLite.h"

enum {
  /// The size of the buffer. It is flushed by one write, because the VFS below splits only writes
  /// of 128 KiB or more.
  ROOM = 64 << 10,
  /// The number of bytes by which the file grows ahead of small commits.
  STEP = 512 << 10,
  /// The size of the header of each frame (sqlite.org/walformat.html).
  HEAD = 24,
};

struct chime_gathering {
  /// The VFS that SQLite calls. It must be the first member, so that SQLite's pointer to it is also
  /// a pointer to the whole structure.
  sqlite3_vfs vfs;
  /// The VFS that writes to disk.
  sqlite3_vfs *below;
  char name[];
};

/// The open log of a database connection.
struct log {
  sqlite3_file base;
  /// Buffered bytes that the file does not contain yet; they belong at `offset` in the file.
  unsigned char *bytes;
  int count;
  sqlite3_int64 offset;
  /// The size of the file, as far as it is known.
  sqlite3_int64 size;
  /// Whether the last write was the header of a commit's last frame.
  int is_ending;
  /// The file of the VFS below, whose size only that VFS knows.
  sqlite3_file below[];
};

static struct log *log_of(sqlite3_file *file) { return (struct log *)file; }
static const sqlite3_io_methods *methods(struct log *log) { return log->below->pMethods; }

// MARK: - The log

/// Writes the buffer. On failure its bytes are dropped, and the transaction fails.
static int flush(struct log *log) {
  int count = log->count;
  log->count = 0;
  if (count == 0) return SQLITE_OK;
  if (log->offset + count > log->size) log->size = log->offset + count;
  return methods(log)->xWrite(log->below, log->bytes, count, log->offset);
}

/// Returns whether a frame header ends a commit. Such a header contains the database's size in
/// pages, and other headers contain 0.
static int ends_commit(const unsigned char *head) {
  return (head[4] | head[5] | head[6] | head[7]) != 0;
}

/// Extends the file with zeros beyond a small commit, so that the next commits only overwrite
/// bytes. The sync of a file that has grown takes twice as long, because it also writes the file's
/// block map. SQLite reads zeros as the end of the log. A full disk is no error: then the file is
/// not extended.
static void grow(struct log *log) {
  static const unsigned char zeros[ROOM];
  sqlite3_int64 end = log->offset + log->count;
  if (end <= log->size) return;
  for (sqlite3_int64 offset = end; offset < end + STEP; offset += ROOM) {
    if (methods(log)->xWrite(log->below, zeros, ROOM, offset) != SQLITE_OK) return;
    log->size = offset + ROOM;
  }
}

/// Closes the log. Buffered bytes belong to an uncommitted transaction and are dropped.
static int log_close(sqlite3_file *file) {
  free(log_of(file)->bytes);
  return methods(log_of(file))->xClose(log_of(file)->below);
}

static int log_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  struct log *log = log_of(file);
  int is_apart = offset + count <= log->offset || log->offset + log->count <= offset;
  int code = is_apart ? SQLITE_OK : flush(log);
  return code != SQLITE_OK ? code : methods(log)->xRead(log->below, bytes, count, offset);
}

static int log_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  struct log *log = log_of(file);
  int is_last = log->is_ending && count != HEAD;
  log->is_ending = count == HEAD && ends_commit(bytes);
  int is_next = log->offset + log->count == offset && log->count + count <= ROOM;
  int code = is_next ? SQLITE_OK : flush(log);
  if (code != SQLITE_OK) return code;
  // A page is never larger than the buffer.
  if (count > ROOM) return SQLITE_MISUSE;
  if (log->count == 0) log->offset = offset;
  memcpy(log->bytes + log->count, bytes, (size_t)count);
  log->count += count;
  if (!is_last) return SQLITE_OK;
  grow(log);
  return flush(log);
}

static int log_truncate(sqlite3_file *file, sqlite3_int64 size) {
  int code = flush(log_of(file));
  log_of(file)->size = size;
  return code != SQLITE_OK ? code : methods(log_of(file))->xTruncate(log_of(file)->below, size);
}

static int log_sync(sqlite3_file *file, int flags) {
  int code = flush(log_of(file));
  return code != SQLITE_OK ? code : methods(log_of(file))->xSync(log_of(file)->below, flags);
}

static int log_size(sqlite3_file *file, sqlite3_int64 *size) {
  int code = flush(log_of(file));
  if (code == SQLITE_OK) code = methods(log_of(file))->xFileSize(log_of(file)->below, size);
  if (code == SQLITE_OK) log_of(file)->size = *size;
  return code;
}

static int log_lock(sqlite3_file *file, int level) {
  return methods(log_of(file))->xLock(log_of(file)->below, level);
}

static int log_unlock(sqlite3_file *file, int level) {
  return methods(log_of(file))->xUnlock(log_of(file)->below, level);
}

static int log_is_reserved(sqlite3_file *file, int *is_reserved) {
  return methods(log_of(file))->xCheckReservedLock(log_of(file)->below, is_reserved);
}

static int log_control(sqlite3_file *file, int operation, void *argument) {
  return methods(log_of(file))->xFileControl(log_of(file)->below, operation, argument);
}

static int log_sector_size(sqlite3_file *file) {
  return methods(log_of(file))->xSectorSize(log_of(file)->below);
}

static int log_characteristics(sqlite3_file *file) {
  return methods(log_of(file))->xDeviceCharacteristics(log_of(file)->below);
}

/// Version 1 has no shared memory and no memory mapping: a log needs neither.
static const sqlite3_io_methods log_methods = {
    .iVersion = 1,
    .xClose = log_close,
    .xRead = log_read,
    .xWrite = log_write,
    .xTruncate = log_truncate,
    .xSync = log_sync,
    .xFileSize = log_size,
    .xLock = log_lock,
    .xUnlock = log_unlock,
    .xCheckReservedLock = log_is_reserved,
    .xFileControl = log_control,
    .xSectorSize = log_sector_size,
    .xDeviceCharacteristics = log_characteristics,
};

static int log_open(
    sqlite3_vfs *below, const char *path, sqlite3_file *file, int flags, int *out_flags) {
  struct log *log = log_of(file);
  *log = (struct log){.bytes = malloc(ROOM)};
  int code = log->bytes == NULL ? SQLITE_NOMEM
                                : below->xOpen(below, path, log->below, flags, out_flags);
  if (code != SQLITE_OK) {
    free(log->bytes);
    return code;
  }
  log->base.pMethods = &log_methods;
  return log_size(file, &log->size);
}

// MARK: - The VFS

static sqlite3_vfs *below(sqlite3_vfs *vfs) { return ((chime_gathering *)vfs)->below; }

/// Opens a log through the buffer, and all other files through the VFS below.
static int vfs_open(
    sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *out_flags) {
  if (flags & SQLITE_OPEN_WAL) return log_open(below(vfs), path, file, flags, out_flags);
  return below(vfs)->xOpen(below(vfs), path, file, flags, out_flags);
}

static int vfs_delete(sqlite3_vfs *vfs, const char *path, int syncs) {
  return below(vfs)->xDelete(below(vfs), path, syncs);
}

static int vfs_access(sqlite3_vfs *vfs, const char *path, int flags, int *result) {
  return below(vfs)->xAccess(below(vfs), path, flags, result);
}

static int vfs_full_path(sqlite3_vfs *vfs, const char *path, int size, char *full) {
  return below(vfs)->xFullPathname(below(vfs), path, size, full);
}

static int vfs_randomness(sqlite3_vfs *vfs, int count, char *bytes) {
  return below(vfs)->xRandomness(below(vfs), count, bytes);
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) {
  return below(vfs)->xSleep(below(vfs), microseconds);
}

static int vfs_time(sqlite3_vfs *vfs, sqlite3_int64 *now) {
  return below(vfs)->xCurrentTimeInt64(below(vfs), now);
}

static int vfs_days(sqlite3_vfs *vfs, double *now) {
  return below(vfs)->xCurrentTime(below(vfs), now);
}

static int vfs_last_error(sqlite3_vfs *vfs, int size, char *text) {
  return below(vfs)->xGetLastError(below(vfs), size, text);
}

chime_gathering *chime_gathering_make(const char *name, const char *below) {
  sqlite3_vfs *real = sqlite3_vfs_find(below);
  size_t length = strlen(name) + 1;
  chime_gathering *gathering = calloc(1, sizeof *gathering + length);
  if (real == NULL || gathering == NULL) {
    free(gathering);
    return NULL;
  }
  memcpy(gathering->name, name, length);
  gathering->below = real;
  gathering->vfs = (sqlite3_vfs){
      .iVersion = 2,
      .szOsFile = (int)sizeof(struct log) + real->szOsFile,
      .mxPathname = real->mxPathname,
      .zName = gathering->name,
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
  if (sqlite3_vfs_register(&gathering->vfs, 0) == SQLITE_OK) return gathering;
  free(gathering);
  return NULL;
}

void chime_gathering_free(chime_gathering *gathering) {
  sqlite3_vfs_unregister(&gathering->vfs);
  free(gathering);
}
