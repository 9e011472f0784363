#include <openssl/crypto.h>

/// OpenSSL would tidy up when the program exits, while other threads may still close connections.
/// Only who calls it first can say that it is not to, so it is said before there are others.
__attribute__((constructor)) static void stay_to_the_end(void) {
  OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}
