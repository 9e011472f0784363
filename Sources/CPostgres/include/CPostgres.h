#pragma once

#include <postgresql/libpq-fe.h>

// PostgreSQL's client library, libpq.

/// Connects and waits for the result. Notices from the server are not printed.
///
/// `options` are server options of the session, as on the command line of `postgres`. The caller
/// must call PQfinish even if connecting failed. Returns NULL if there is no memory.
PGconn *_Nullable chime_postgres_connect(const char *_Nonnull location,
                                         const char *_Nonnull options);
