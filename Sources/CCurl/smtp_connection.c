#include "letter.h"
#include "ready.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Each connection has its own multi handle, because libcurl blocks until the reply to a message's
// content. With a common handle this would delay other connections.
struct CCurlSMTPConnection {
  CURLM *transfers;
  char *url;
  char *user;
  char *password;
  char *authorities;
  bool requires_tls;
  long deadline_milliseconds;
  /// The AUTH mechanisms that the server has refused although it offers them, as bits.
  unsigned refused_mechanisms;
};

/// Copies a text or NULL; false if memory is short.
static bool copy_text(const char *text, char **copy) {
  if (text != NULL) *copy = strdup(text);
  return text == NULL || *copy != NULL;
}

CCurlSMTPConnection *ccurl_smtp_open(const CCurlServer *server) {
  CCurlSMTPConnection *connection = curl_is_ready() ? calloc(1, sizeof *connection) : NULL;
  if (connection == NULL) return NULL;
  connection->requires_tls = server->requires_tls;
  connection->deadline_milliseconds = (long)server->deadline_milliseconds;
  connection->transfers = curl_multi_init();
  if (connection->transfers == NULL || !copy_text(server->url, &connection->url)
      || !copy_text(server->user, &connection->user)
      || !copy_text(server->password, &connection->password)
      || !copy_text(server->authorities, &connection->authorities)
      || curl_multi_setopt(connection->transfers, CURLMOPT_MAXCONNECTS, 1L) != CURLM_OK) {
    ccurl_smtp_close(connection);
    return NULL;
  }
  return connection;
}

static void wipe(char *text) {
  if (text != NULL) explicit_bzero(text, strlen(text));
  free(text);
}

void ccurl_smtp_close(CCurlSMTPConnection *connection) {
  if (connection == NULL) return;
  if (connection->transfers != NULL) curl_multi_cleanup(connection->transfers);
  free(connection->url);
  free(connection->authorities);
  wipe(connection->user);
  wipe(connection->password);
  free(connection);
}

/// The seconds after which an idle connection is replaced, because the server may have closed it.
static const long idle_seconds_max = 30;

/// Lets libcurl choose among the mechanisms that were not refused. Without names, libcurl would
/// also choose GSSAPI, which needs a ticket instead of the password.
static bool choose_mechanisms(const CCurlSMTPConnection *connection, CURL *handle) {
  char options[128] = "";
  for (int index = 0; mechanisms[index] != NULL; index++) {
    if (connection->refused_mechanisms >> index & 1) continue;
    size_t length = strlen(options);
    snprintf(
        options + length, sizeof options - length, "%sAUTH=%s", length == 0 ? "" : ";",
        mechanisms[index]);
  }
  return curl_easy_setopt(handle, CURLOPT_LOGIN_OPTIONS, options) == CURLE_OK;
}

static bool set_options(const CCurlSMTPConnection *connection, CURL *handle) {
  long tls = connection->requires_tls ? CURLUSESSL_ALL : CURLUSESSL_NONE;
  return curl_easy_setopt(handle, CURLOPT_URL, connection->url) == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "smtp,smtps") == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_PROXY, "") == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L) == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_USE_SSL, tls) == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2) == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_MAXAGE_CONN, idle_seconds_max) == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, connection->deadline_milliseconds) == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_SERVER_RESPONSE_TIMEOUT, 0L) == CURLE_OK
      && (connection->authorities == NULL
          || (curl_easy_setopt(handle, CURLOPT_CAINFO, connection->authorities) == CURLE_OK
              && curl_easy_setopt(handle, CURLOPT_CAPATH, NULL) == CURLE_OK))
      && (connection->user == NULL
          || (choose_mechanisms(connection, handle)
              && curl_easy_setopt(handle, CURLOPT_USERNAME, connection->user) == CURLE_OK
              && curl_easy_setopt(handle, CURLOPT_PASSWORD, connection->password) == CURLE_OK));
}

/// Returns whether the transfer has ended, and stores its result.
static bool is_finished(CCurlSMTPConnection *connection, const Letter *letter, CURLcode *result) {
  *result = CURLE_ABORTED_BY_CALLBACK;
  if (letter->receipt.lacks_utf8 || letter->receipt.lacks_auth) return true;
  int left = 0;
  CURLMsg *message;
  while ((message = curl_multi_info_read(connection->transfers, &left)) != NULL) {
    if (message->msg != CURLMSG_DONE) continue;
    *result = message->data.result;
    return true;
  }
  return false;
}

/// Runs the transfer; false if memory is short.
static bool transfer(CCurlSMTPConnection *connection, const Letter *letter, CURLcode *result) {
  int running = 0;
  while (curl_multi_perform(connection->transfers, &running) == CURLM_OK) {
    if (is_finished(connection, letter, result)) return true;
    if (curl_multi_poll(connection->transfers, NULL, 0, 1000, NULL) != CURLM_OK) return false;
  }
  return false;
}

/// Returns whether the server refused the attempted AUTH mechanism and may accept another one.
///
/// The codes 504 and 538 always mean a refused mechanism (RFC 4954, sections 4 and 6). Any other
/// code from 500 on means it if the server has not received the password: DIGEST-MD5, CRAM-MD5 and
/// NTLM never send it, and many servers offer them without support. After a password, the code 534
/// does not mean it, because some servers answer a wrong password with it.
static bool is_mechanism_refused(const Letter *letter) {
  int32_t code = letter->receipt.reply_code;
  bool has_password =
      letter->is_challenged && (letter->attempted_mechanism & password_mechanisms) != 0;
  return letter->receipt.stage == CCurlStageAuthenticating && letter->attempted_mechanism != 0
      && (code == 504 || code == 538 || (code / 100 == 5 && !has_password));
}

/// Returns whether no mechanism was attempted because the server had refused all that it offers.
/// The server may accept one of them now, for example because its settings were changed.
static bool offers_only_refused(const CCurlSMTPConnection *connection, const Letter *letter) {
  return letter->receipt.lacks_auth && letter->offered_mechanisms != 0
      && (letter->offered_mechanisms & ~connection->refused_mechanisms) == 0;
}

/// Excludes the AUTH mechanism that the server has refused. Returns whether the message is to be
/// sent again, with another mechanism.
///
/// If the server has refused all mechanisms, the next message begins with the first one again. A
/// refused password is not sent by another mechanism, because servers lock accounts after a few
/// refusals.
static bool choose_next_mechanism(CCurlSMTPConnection *connection, const Letter *letter) {
  if (offers_only_refused(connection, letter)) {
    connection->refused_mechanisms = 0;
    return true;
  }
  if (!is_mechanism_refused(letter)) return false;
  connection->refused_mechanisms |= letter->attempted_mechanism;
  bool has_next = (letter->offered_mechanisms & ~connection->refused_mechanisms) != 0;
  if (!has_next) connection->refused_mechanisms = 0;
  return has_next;
}

/// Sends the message once; false if memory is short.
static bool send_once(
    CCurlSMTPConnection *connection, Letter *letter, CCurlReceipt *receipt, bool *is_to_repeat) {
  bool is_done = false;
  if (set_options(connection, letter->handle)
      && curl_multi_add_handle(connection->transfers, letter->handle) == CURLM_OK) {
    CURLcode result = CURLE_OK;
    is_done = transfer(connection, letter, &result);
    if (is_done) {
      letter_conclude(letter, result);
      *receipt = letter->receipt;
      *is_to_repeat = choose_next_mechanism(connection, letter);
    }
    curl_multi_remove_handle(connection->transfers, letter->handle);
  }
  return is_done;
}

bool ccurl_smtp_send(
    CCurlSMTPConnection *connection, const char *sender, const char *recipient, const void *bytes,
    size_t count, bool needs_utf8, CCurlReceipt *receipt) {
  bool is_done, is_to_repeat;
  do {
    is_to_repeat = false;
    Letter *letter = letter_create(sender, recipient, bytes, count, needs_utf8);
    if (letter == NULL) return false;
    letter->needs_auth = connection->user != NULL;
    is_done = send_once(connection, letter, receipt, &is_to_repeat);
    letter_destroy(letter);
  } while (is_to_repeat);
  return is_done;
}
