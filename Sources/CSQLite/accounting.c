#include "CSQLite.h"

#include <malloc.h>
#include <sqlite3.h>

bool chime_sqlite_stop_accounting(void) {
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) == SQLITE_OK;
}

void chime_give_back_memory(void) {
  malloc_trim(0);
}
