#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "disk.h"

struct node *node_at(chime_disk *disk, const char *path) {
  struct stat status;
  if (stat(path, &status) != 0) return NULL;
  for (struct node *node = disk->nodes; node != NULL; node = node->next) {
    if (node->inode == status.st_ino && node->device == status.st_dev) return node;
  }
  struct node *node = calloc(1, sizeof *node);
  if (node == NULL) return NULL;
  node->descriptor = open(path, O_RDWR | O_CLOEXEC);
  if (node->descriptor < 0) node->descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (node->descriptor < 0) {
    free(node);
    return NULL;
  }
  node->number = disk->next_number++;
  node->device = status.st_dev;
  node->inode = status.st_ino;
  node->synced_size = status.st_size;
  node->next = disk->nodes;
  disk->nodes = node;
  return node;
}

/// Returns the link to a changed sector; if it is not in its bucket's list, the link at the end of
/// the list.
static struct sector **link_to(struct node *node, int64_t number) {
  struct sector **link = &node->changed[number % bucket_count];
  while (*link != NULL && (*link)->number != number) link = &(*link)->next;
  return link;
}

int node_keep(struct node *node, int64_t from, int64_t to) {
  for (int64_t number = from / sector_size; number * sector_size < to; number++) {
    struct sector **link = link_to(node, number);
    if (*link != NULL) {
      (*link)->is_stuck = 0;
      continue;
    }
    struct sector *sector = calloc(1, sizeof *sector);
    if (sector == NULL) return SQLITE_NOMEM;
    sector->number = number;
    int64_t start = number * sector_size;
    if (pread(node->descriptor, sector->bytes, sector_size, start) < 0) {
      free(sector);
      return SQLITE_IOERR_READ;
    }
    *link = sector;
  }
  return SQLITE_OK;
}

void node_sync(struct node *node, int is_failed) {
  int is_any_stuck = 0;
  for (int bucket = 0; bucket < bucket_count; bucket++) {
    struct sector **link = &node->changed[bucket];
    while (*link != NULL) {
      struct sector *sector = *link;
      sector->is_stuck |= is_failed;
      if (sector->is_stuck) {
        is_any_stuck = 1;
        link = &sector->next;
      } else {
        *link = sector->next;
        free(sector);
      }
    }
  }
  if (!is_any_stuck) node->synced_size = node_size(node);
}

int64_t node_size(const struct node *node) {
  struct stat status;
  return fstat(node->descriptor, &status) == 0 ? status.st_size : 0;
}

int node_is_named(const struct node *node) {
  struct stat status;
  return fstat(node->descriptor, &status) == 0 && status.st_nlink > 0;
}

int entry_note(chime_disk *disk, const char *path, struct node *durable) {
  for (struct entry *entry = disk->entries; entry != NULL; entry = entry->next) {
    if (strcmp(entry->path, path) == 0) return SQLITE_OK;
  }
  size_t length = strlen(path) + 1;
  struct entry *entry = calloc(1, sizeof *entry + length);
  if (entry == NULL) return SQLITE_NOMEM;
  memcpy(entry->path, path, length);
  entry->number = disk->next_number++;
  entry->durable = durable;
  entry->next = disk->entries;
  disk->entries = entry;
  return SQLITE_OK;
}

static size_t directory_length(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash == NULL ? 0 : (size_t)(slash - path);
}

void entries_sync(chime_disk *disk, const char *path) {
  size_t length = directory_length(path);
  struct entry **link = &disk->entries;
  while (*link != NULL) {
    struct entry *entry = *link;
    if (directory_length(entry->path) == length && memcmp(entry->path, path, length) == 0) {
      *link = entry->next;
      free(entry);
    } else {
      link = &entry->next;
    }
  }
}

void disk_forget(chime_disk *disk) {
  while (disk->nodes != NULL) {
    struct node *node = disk->nodes;
    disk->nodes = node->next;
    for (int bucket = 0; bucket < bucket_count; bucket++) {
      while (node->changed[bucket] != NULL) {
        struct sector *sector = node->changed[bucket];
        node->changed[bucket] = sector->next;
        free(sector);
      }
    }
    close(node->descriptor);
    free(node);
  }
  while (disk->entries != NULL) {
    struct entry *entry = disk->entries;
    disk->entries = entry->next;
    free(entry);
  }
  disk->next_number = 0;
}
