#pragma once

#include <openssl/ssl.h>

/// Sets the options that every context has; on failure it frees the context and returns NULL.
SSL_CTX *context_prepare(SSL_CTX *context);
