#pragma once

#include <openssl/ssl.h>

/// Sets the options of every context; on failure frees it and returns NULL.
SSL_CTX *context_prepare(SSL_CTX *context);
