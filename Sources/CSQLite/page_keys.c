#include "CSQLite.h"

#include <sqlite3.h>

// To split a page, SQLite sorts the numbers of the new pages. While it sorts them, one of these
// pages has a temporary number: that of the page at PENDING_BYTE, which is never used. SQLite's
// page cache remembers the highest number that it has seen. So it would assume that the database
// ends with that page, and at the end of the transaction it would search its whole content for
// pages beyond the end. The cost of every small commit that splits a page would grow with the
// cache. To avoid that, this page cache replaces the temporary number by 0, which no page has,
// because pages are numbered from 1 (sqlite.org/fileformat2.html, section 1.2).

enum {
  /// The number of the page at PENDING_BYTE (1 GiB) in a database with pages of 4096 bytes. With
  /// other page sizes, it is the number of an ordinary page.
  PENDING_PAGE = 0x40000000 / 4096 + 1,
  LOWEST = 0,
};

/// SQLite's default page cache, which does the work.
static sqlite3_pcache_methods2 default_cache;

static unsigned key(unsigned page) { return page == PENDING_PAGE ? LOWEST : page; }

static sqlite3_pcache_page *fetch(sqlite3_pcache *cache, unsigned page, int create) {
  return default_cache.xFetch(cache, key(page), create);
}

static void rekey(
    sqlite3_pcache *cache, sqlite3_pcache_page *content, unsigned old, unsigned new) {
  default_cache.xRekey(cache, content, key(old), key(new));
}

/// Drops the pages from `limit` on, and the page with the temporary number if PENDING_PAGE is one
/// of them.
static void truncate(sqlite3_pcache *cache, unsigned limit) {
  if (limit > LOWEST && limit <= PENDING_PAGE) {
    sqlite3_pcache_page *content = default_cache.xFetch(cache, LOWEST, 0);
    if (content) default_cache.xUnpin(cache, content, 1);
  }
  default_cache.xTruncate(cache, limit);
}

bool chime_sqlite_spare_the_cache(void) {
  if (sqlite3_config(SQLITE_CONFIG_GETPCACHE2, &default_cache) != SQLITE_OK) return false;
  sqlite3_pcache_methods2 methods = default_cache;
  methods.xFetch = fetch;
  methods.xRekey = rekey;
  methods.xTruncate = truncate;
  return sqlite3_config(SQLITE_CONFIG_PCACHE2, &methods) == SQLITE_OK;
}
