#include "ready.h"

#include <curl/curl.h>
#include <pthread.h>
#include <signal.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool is_ready;

/// Makes the process ignore SIGPIPE if the signal would end it. OpenSSL may write to a socket that
/// the peer has closed; the error code of the write suffices.
static void ignore_broken_pipes(void) {
  struct sigaction action;
  if (sigaction(SIGPIPE, NULL, &action) == 0 && action.sa_handler == SIG_DFL) {
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL);
  }
}

static void make_ready(void) {
  ignore_broken_pipes();
  is_ready = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

bool curl_is_ready(void) {
  pthread_once(&once, make_ready);
  return is_ready;
}
