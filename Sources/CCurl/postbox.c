#include "letter.h"
#include "ready.h"

#include <stdlib.h>
#include <string.h>

// Each connection has transfers of its own: libcurl waits for the answer to a message's content
// without looking at any other transfer beside it.
struct CCurlPostbox {
  CURLM *transfers;
  char *url;
  char *user;
  char *password;
  char *authorities;
  bool requires_tls;
  long deadline_milliseconds;
};

/// A copy in `*copy`; false when memory is short. NULL is copied as NULL.
static bool copy_text(const char *text, char **copy) {
  if (text != NULL) *copy = strdup(text);
  return text == NULL || *copy != NULL;
}

CCurlPostbox *ccurl_postbox_open(const CCurlServer *server) {
  CCurlPostbox *postbox = curl_is_ready() ? calloc(1, sizeof *postbox) : NULL;
  if (postbox == NULL) return NULL;
  postbox->requires_tls = server->requires_tls;
  postbox->deadline_milliseconds = (long)server->deadline_milliseconds;
  postbox->transfers = curl_multi_init();
  if (postbox->transfers == NULL || !copy_text(server->url, &postbox->url)
      || !copy_text(server->user, &postbox->user)
      || !copy_text(server->password, &postbox->password)
      || !copy_text(server->authorities, &postbox->authorities)
      || curl_multi_setopt(postbox->transfers, CURLMOPT_MAXCONNECTS, 1L) != CURLM_OK) {
    ccurl_postbox_close(postbox);
    return NULL;
  }
  return postbox;
}

static void wipe(char *text) {
  if (text != NULL) explicit_bzero(text, strlen(text));
  free(text);
}

void ccurl_postbox_close(CCurlPostbox *postbox) {
  if (postbox == NULL) return;
  if (postbox->transfers != NULL) curl_multi_cleanup(postbox->transfers);
  free(postbox->url);
  free(postbox->authorities);
  wipe(postbox->user);
  wipe(postbox->password);
  free(postbox);
}

/// A connection that has been idle for longer is made anew: the server may have closed it.
static const long idle_seconds_max = 30;

static bool address_letter(const CCurlPostbox *postbox, CURL *handle) {
  long tls = postbox->requires_tls ? CURLUSESSL_ALL : CURLUSESSL_NONE;
  return curl_easy_setopt(handle, CURLOPT_URL, postbox->url) == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "smtp,smtps") == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_PROXY, "") == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L) == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_USE_SSL, tls) == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2) == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_MAXAGE_CONN, idle_seconds_max) == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, postbox->deadline_milliseconds) == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_SERVER_RESPONSE_TIMEOUT, 0L) == CURLE_OK
      && (postbox->authorities == NULL
          || (curl_easy_setopt(handle, CURLOPT_CAINFO, postbox->authorities) == CURLE_OK
              && curl_easy_setopt(handle, CURLOPT_CAPATH, NULL) == CURLE_OK))
      && (postbox->user == NULL
          || (curl_easy_setopt(handle, CURLOPT_USERNAME, postbox->user) == CURLE_OK
              && curl_easy_setopt(handle, CURLOPT_PASSWORD, postbox->password) == CURLE_OK));
}

/// Whether the transfer has come to its end, and how.
static bool is_finished(CCurlPostbox *postbox, const Letter *letter, CURLcode *result) {
  *result = CURLE_ABORTED_BY_CALLBACK;
  if (letter->receipt.lacks_utf8) return true;
  int left = 0;
  CURLMsg *message;
  while ((message = curl_multi_info_read(postbox->transfers, &left)) != NULL) {
    if (message->msg != CURLMSG_DONE) continue;
    *result = message->data.result;
    return true;
  }
  return false;
}

/// False when memory is short.
static bool transfer(CCurlPostbox *postbox, const Letter *letter, CURLcode *result) {
  int running = 0;
  while (curl_multi_perform(postbox->transfers, &running) == CURLM_OK) {
    if (is_finished(postbox, letter, result)) return true;
    if (curl_multi_poll(postbox->transfers, NULL, 0, 1000, NULL) != CURLM_OK) return false;
  }
  return false;
}

bool ccurl_postbox_send(
    CCurlPostbox *postbox, const char *sender, const char *recipient, const void *bytes,
    size_t count, bool needs_utf8, CCurlReceipt *receipt) {
  Letter *letter = letter_create(sender, recipient, bytes, count, needs_utf8);
  if (letter == NULL) return false;
  bool is_done = false;
  if (address_letter(postbox, letter->handle)
      && curl_multi_add_handle(postbox->transfers, letter->handle) == CURLM_OK) {
    CURLcode result = CURLE_OK;
    is_done = transfer(postbox, letter, &result);
    if (is_done) {
      letter_conclude(letter, result);
      *receipt = letter->receipt;
    }
    curl_multi_remove_handle(postbox->transfers, letter->handle);
  }
  letter_destroy(letter);
  return is_done;
}
