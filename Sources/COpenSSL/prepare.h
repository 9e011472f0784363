#pragma once

#include <openssl/ssl.h>

/// Does what is the same for every context; gives `context` up where it cannot be had.
SSL_CTX *context_prepare(SSL_CTX *context);
