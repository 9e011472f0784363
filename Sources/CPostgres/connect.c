#include "CPostgres.h"

static void ignore(void *context, const char *message) {
  (void)context;
  (void)message;
}

PGconn *chime_postgres_connect(const char *location, const char *options) {
  // What stands behind the location overrides what it says.
  const char *keywords[] = {"fallback_application_name", "dbname", "client_encoding", "options", 0};
  const char *values[] = {"chimed", location, "UTF8", options, 0};
  PGconn *connection = PQconnectdbParams(keywords, values, 1);
  if (connection) PQsetNoticeProcessor(connection, ignore, 0);
  return connection;
}
