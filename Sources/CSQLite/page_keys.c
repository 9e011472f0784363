#include "CSQLite.h"

#include <sqlite3.h>

// When SQLite splits a page, it sorts the numbers of the new pages by temporarily giving one of
// them the number of the page at PENDING_BYTE, which is never used. The page cache remembers the
// highest number it has seen, and takes this one for the end of the database: at the end of the
// transaction it scans all cached pages for pages beyond the end. So every small commit that splits
// a page costs as much as the cache is large. Here the borrowed number is mapped to the lowest one,
// which no page has (sqlite.org/fileformat2.html, section 1.2: pages are numbered from 1).

enum {
  /// The page at PENDING_BYTE (1 GiB) with pages of 4096 bytes. With another page size, this number
  /// belongs to an ordinary page.
  PENDING_PAGE = 0x40000000 / 4096 + 1,
  LOWEST = 0,
};

/// SQLite's default cache, to which all calls are forwarded.
static sqlite3_pcache_methods2 usual;

static unsigned key(unsigned page) { return page == PENDING_PAGE ? LOWEST : page; }

static sqlite3_pcache_page *fetch(sqlite3_pcache *cache, unsigned page, int create) {
  return usual.xFetch(cache, key(page), create);
}

static void rekey(
    sqlite3_pcache *cache, sqlite3_pcache_page *content, unsigned old, unsigned new) {
  usual.xRekey(cache, content, key(old), key(new));
}

/// Drops the mapped page together with the pages beyond a limit.
static void truncate(sqlite3_pcache *cache, unsigned limit) {
  if (limit > LOWEST && limit <= PENDING_PAGE) {
    sqlite3_pcache_page *content = usual.xFetch(cache, LOWEST, 0);
    if (content) usual.xUnpin(cache, content, 1);
  }
  usual.xTruncate(cache, limit);
}

bool chime_sqlite_spare_the_cache(void) {
  if (sqlite3_config(SQLITE_CONFIG_GETPCACHE2, &usual) != SQLITE_OK) return false;
  sqlite3_pcache_methods2 methods = usual;
  methods.xFetch = fetch;
  methods.xRekey = rekey;
  methods.xTruncate = truncate;
  return sqlite3_config(SQLITE_CONFIG_PCACHE2, &methods) == SQLITE_OK;
}
