#pragma once

#include <postgresql/libpq-fe.h>

// PostgreSQL's own client library, libpq.

/// Connects and waits for it. What the server remarks on is not printed anywhere.
///
/// `options` are for the server's side of the session, as on the command line of `postgres`. The
/// connection has to be ended by PQfinish even if it did not come about; NULL for lack of memory.
PGconn *_Nullable chime_postgres_connect(const char *_Nonnull location,
                                         const char *_Nonnull options);
