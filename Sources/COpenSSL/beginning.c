#include <openssl/crypto.h>

/// Turns off OpenSSL's cleanup at exit, because other threads may still use connections then. Only
/// the first call of OpenSSL can set this option, so this function runs before main.
__attribute__((constructor)) static void disable_cleanup_at_exit(void) {
  OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}
