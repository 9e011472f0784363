#include "CPostgres.h"

static void ignore(void *context, const char *message) {
  (void)context;
  (void)message;
}

PGconn *chime_postgres_connect(const char *location, const char *options) {
  // Later keywords override earlier ones. So `location` (as dbname) overrides the defaults before
  // it, but not the last two keywords. By the default keepalives, a server or network that is down
  // is detected within about 15 seconds.
  const char *keywords[] = {"fallback_application_name", "connect_timeout",     "keepalives_idle",
                            "keepalives_interval",       "keepalives_count",    "tcp_user_timeout",
                            "dbname",                    "client_encoding",     "options",
                            0};
  const char *values[] = {"chimed", "10",   "5",     "3", "3", "15000",
                          location, "UTF8", options, 0};
  PGconn *connection = PQconnectdbParams(keywords, values, 1);
  if (connection) PQsetNoticeProcessor(connection, ignore, 0);
  return connection;
}
