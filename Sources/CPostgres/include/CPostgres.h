#pragma once

#include <postgresql/libpq-fe.h>

// PostgreSQL's client library, libpq.

/// Connects, and waits until that has succeeded or failed. The server's notices are not printed.
///
/// `options` are for the server's side of the session, as on the command line of `postgres`. The
/// result needs PQfinish even if connecting failed; NULL if memory is short.
PGconn *_Nullable chime_postgres_connect(const char *_Nonnull location,
                                         const char *_Nonnull options);
