#include "CSQLite.h"

#include <malloc.h>
#include <sqlite3.h>

bool chime_sqlite_stop_accounting(void) {
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) == SQLITE_OK;
}

bool chime_sqlite_leave_log(struct sqlite3 *connection) {
  return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL) == SQLITE_OK;
}

void chime_give_back_memory(void) {
  malloc_trim(0);
}
