/* Measures the writes of a burst with SQLite alone, as a lower limit of chimed's time. For each
 * recipient, it updates one row and appends another, in the order of the rows. Each synced commit
 * has the rows of 8,192 recipients. Prints the seconds. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static sqlite3 *db;

static void check(int code) {
  if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW) return;
  fprintf(stderr, "SQLite says %s\n", sqlite3_errmsg(db));
  exit(1);
}

static void run(const char *sql) { check(sqlite3_exec(db, sql, NULL, NULL, NULL)); }

static double seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

static sqlite3_stmt *prepare(const char *sql) {
  sqlite3_stmt *statement;
  check(sqlite3_prepare_v2(db, sql, -1, &statement, NULL));
  return statement;
}

static void step(sqlite3_stmt *statement) {
  check(sqlite3_step(statement));
  check(sqlite3_reset(statement));
}

int main(int argc, char **argv) {
  if (argc != 3) return fprintf(stderr, "usage: floor FILE COUNT\n"), 64;
  long count = atol(argv[2]), batch = 8192;
  char facts[200], record[80];
  memset(facts, 'f', sizeof facts);
  memset(record, 'r', sizeof record);
  check(sqlite3_open(argv[1], &db));
  run("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-65536;"
      "PRAGMA wal_autocheckpoint=16384;"
      "CREATE TABLE person(id INTEGER PRIMARY KEY, due INTEGER, facts BLOB);"
      "CREATE TABLE sent(id INTEGER PRIMARY KEY, person INTEGER, at INTEGER, record BLOB)");
  sqlite3_stmt *fill = prepare("INSERT INTO person VALUES(?1, 0, ?2)");
  run("BEGIN");
  for (long row = 1; row <= count; row++) {
    sqlite3_bind_int64(fill, 1, row);
    sqlite3_bind_blob(fill, 2, facts, sizeof facts, SQLITE_STATIC);
    step(fill);
  }
  run("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
  sqlite3_stmt *update = prepare("UPDATE person SET due = ?2, facts = ?3 WHERE id = ?1");
  sqlite3_stmt *insert = prepare("INSERT INTO sent VALUES(NULL, ?1, ?2, ?3)");
  facts[0]++;
  double start = seconds();
  for (long row = 1; row <= count; row++) {
    if (row % batch == 1) run("BEGIN");
    sqlite3_bind_int64(update, 1, row);
    sqlite3_bind_int64(update, 2, row);
    sqlite3_bind_blob(update, 3, facts, sizeof facts, SQLITE_STATIC);
    step(update);
    sqlite3_bind_int64(insert, 1, row);
    sqlite3_bind_int64(insert, 2, row);
    sqlite3_bind_blob(insert, 3, record, sizeof record, SQLITE_STATIC);
    step(insert);
    if (row % batch == 0 || row == count) run("COMMIT");
  }
  printf("%.3f\n", seconds() - start);
  return 0;
}
