#include "transfer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// The maximum number of attempts of a request. libcurl repeats a request if the peer closes a
/// reused connection while the request is sent.
static const int attempts_max = 2;
/// The maximum number of handles kept for reuse.
static const size_t spare_max = 256;

// MARK: Callbacks of libcurl

static size_t on_line(char *bytes, size_t size, size_t count, void *context) {
  const CCurlListener *listener = &((const CCurlTransfer *)context)->listener;
  return listener->line(listener->context, bytes, size * count) ? size * count : 0;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *context) {
  const CCurlListener *listener = &((const CCurlTransfer *)context)->listener;
  switch (listener->body(listener->context, bytes, size * count)) {
    case CCurlTakingMore: return size * count;
    case CCurlTakingLater: return CURL_WRITEFUNC_PAUSE;
    case CCurlTakingEnough: return CURL_WRITEFUNC_ERROR;
  }
}

static bool may_connect(const CCurlTransfer *transfer, const struct curl_sockaddr *address) {
  const void *bytes = NULL;
  if (transfer->addresses_count == 0) return true;
  if (address->family == AF_INET) {
    bytes = &((const struct sockaddr_in *)(const void *)&address->addr)->sin_addr;
  } else if (address->family == AF_INET6) {
    bytes = &((const struct sockaddr_in6 *)(const void *)&address->addr)->sin6_addr;
  }
  int32_t count = address->family == AF_INET ? 4 : 16;
  for (size_t index = 0; bytes != NULL && index < transfer->addresses_count; index++) {
    const CCurlAddress *allowed = &transfer->addresses[index];
    if (allowed->count == count && memcmp(bytes, allowed->bytes, (size_t)count) == 0) return true;
  }
  return false;
}

static curl_socket_t open_socket(
    void *context, curlsocktype purpose, struct curl_sockaddr *address) {
  CCurlTransfer *transfer = context;
  (void)purpose;
  transfer->is_sent = false;
  if (!may_connect(transfer, address)) return CURL_SOCKET_BAD;
  return loop_open_socket(transfer->loop, address);
}

/// libcurl calls this function when there is a connection, just before it sends the request.
static int before_request(
    void *context, char *remote, char *local, int remote_port, int local_port) {
  (void)remote, (void)local, (void)remote_port, (void)local_port;
  CCurlTransfer *transfer = context;
  transfer->is_spent = transfer->attempts == attempts_max;
  if (transfer->is_spent) return CURL_PREREQFUNC_ABORT;
  transfer->attempts++;
  transfer->is_sent = true;
  return CURL_PREREQFUNC_OK;
}

// MARK: Handles

static struct curl_blob blob(const void *bytes, size_t count) {
  return (struct curl_blob){.data = (void *)bytes, .len = count, .flags = CURL_BLOB_NOCOPY};
}

static bool trust(CURL *handle, const CCurlLoopSettings *settings) {
  // If a directory of certificates were set, libcurl would read the system's file for each
  // connection.
  if (curl_easy_setopt(handle, CURLOPT_CAPATH, NULL) != CURLE_OK) return false;
  if (settings->authorities == NULL) return true;
  struct curl_blob authorities = blob(settings->authorities, settings->authorities_count);
  return curl_easy_setopt(handle, CURLOPT_CAINFO, NULL) == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_CAINFO_BLOB, &authorities) == CURLE_OK;
}

/// Sets the client certificate, if there is one.
static bool identify(CURL *handle, const CCurlLoopSettings *settings) {
  if (settings->certificate == NULL || settings->key == NULL) return true;
  struct curl_blob certificate = blob(settings->certificate, settings->certificate_count);
  struct curl_blob key = blob(settings->key, settings->key_count);
  return curl_easy_setopt(handle, CURLOPT_SSLCERT_BLOB, &certificate) == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_SSLKEY_BLOB, &key) == CURLE_OK;
}

/// Sets the options of all requests: no proxy from the environment, no redirects, no cookies.
static bool prepare(CCurlTransfer *transfer) {
  CURL *handle = transfer->handle;
  const CCurlLoopSettings *settings = &transfer->loop->settings;
  return curl_easy_setopt(handle, CURLOPT_PRIVATE, transfer) == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, transfer->words) == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L) == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_PATH_AS_IS, 1L) == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 0L) == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_PROXY, settings->proxy == NULL ? "" : settings->proxy)
      == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_NOPROXY, "") == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L) == CURLE_OK
      && curl_easy_setopt(
             handle, CURLOPT_ACCEPT_ENCODING, settings->wants_plain_bodies ? "identity" : NULL)
      == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L) == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1)
      == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2) == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_MAXAGE_CONN, (long)settings->idle_seconds) == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, open_socket) == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, transfer) == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_CLOSESOCKETFUNCTION, loop_close_socket) == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_CLOSESOCKETDATA, transfer->loop) == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, before_request) == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_PREREQDATA, transfer) == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, on_line) == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_HEADERDATA, transfer) == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, on_body) == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_WRITEDATA, transfer) == CURLE_OK
      && trust(handle, settings) && identify(handle, settings);
}

static CCurlTransfer *make(CCurlLoop *loop) {
  CCurlTransfer *transfer = loop->spare;
  if (transfer != NULL) {
    loop->spare = transfer->next;
    loop->spare_count--;
    return transfer;
  }
  transfer = calloc(1, sizeof *transfer);
  if (transfer == NULL) return NULL;
  transfer->loop = loop;
  transfer->handle = curl_easy_init();
  if (transfer->handle != NULL && prepare(transfer)) return transfer;
  transfer_free(transfer);
  return NULL;
}

void transfer_free(CCurlTransfer *transfer) {
  curl_easy_cleanup(transfer->handle);
  curl_slist_free_all(transfer->fields);
  curl_slist_free_all(transfer->names);
  free(transfer->addresses);
  free(transfer);
}

// MARK: Requests

/// Returns whether a URL's host is an address and not a name.
static bool is_address(const char *host) {
  uint8_t bytes[4];
  return host[0] == '[' || inet_pton(AF_INET, host, bytes) == 1;
}

/// Returns an entry of CURLOPT_RESOLVE, "+HOST:PORT:ADDRESS,ADDRESS"; NULL if memory is short.
static struct curl_slist *resolve_entry(
    const char *host, const char *port, const CCurlAddress *addresses, size_t count) {
  size_t room = strlen(host) + strlen(port) + 4 + count * (INET6_ADDRSTRLEN + 3);
  char *text = malloc(room);
  if (text == NULL) return NULL;
  size_t length = (size_t)snprintf(text, room, "+%s:%s:", host, port);
  for (size_t index = 0; index < count; index++) {
    char address[INET6_ADDRSTRLEN] = "";
    bool is_six = addresses[index].count == 16;
    inet_ntop(is_six ? AF_INET6 : AF_INET, addresses[index].bytes, address, sizeof address);
    const char *comma = index == 0 ? "" : ",";
    length += (size_t)snprintf(
        text + length, room - length, is_six ? "%s[%s]" : "%s%s", comma, address);
  }
  struct curl_slist *names = curl_slist_append(NULL, text);
  free(text);
  return names;
}

/// Gives the addresses of the request to libcurl as those of the URL's host.
static bool set_host_addresses(CCurlTransfer *transfer, const CCurlRequest *request) {
  CURLU *url = curl_url();
  char *host = NULL, *port = NULL;
  bool is_set_up = url != NULL
      && curl_url_set(url, CURLUPART_URL, request->url, CURLU_PATH_AS_IS) == CURLUE_OK
      && curl_url_get(url, CURLUPART_HOST, &host, 0) == CURLUE_OK
      && curl_url_get(url, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT) == CURLUE_OK;
  if (is_set_up && !is_address(host)) {
    transfer->names = resolve_entry(host, port, transfer->addresses, transfer->addresses_count);
    is_set_up = transfer->names != NULL;
  }
  curl_free(host);
  curl_free(port);
  curl_url_cleanup(url);
  return is_set_up;
}

/// Restricts the transfer to the addresses of the request, even if the name now resolves to others.
/// If the first address family does not answer at once, libcurl also tries the second.
static bool pin(CCurlTransfer *transfer, const CCurlRequest *request) {
  size_t count = request->addresses_count;
  free(transfer->addresses);
  curl_slist_free_all(transfer->names);
  transfer->addresses = NULL;
  transfer->names = NULL;
  transfer->addresses_count = 0;
  bool is_pinned = true;
  if (count > 0) {
    transfer->addresses = calloc(count, sizeof *transfer->addresses);
    if (transfer->addresses == NULL) return false;
    memcpy(transfer->addresses, request->addresses, count * sizeof *transfer->addresses);
    transfer->addresses_count = count;
    is_pinned = set_host_addresses(transfer, request);
  }
  return curl_easy_setopt(transfer->handle, CURLOPT_RESOLVE, transfer->names) == CURLE_OK
      && is_pinned;
}

static bool set_content(CURL *handle, const CCurlRequest *request) {
  bool is_get = strcmp(request->method, "GET") == 0;
  bool is_head = strcmp(request->method, "HEAD") == 0;
  // With NOBODY, libcurl expects no body, whatever the reply's Content-Length is.
  if (is_head) return curl_easy_setopt(handle, CURLOPT_NOBODY, 1L) == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, NULL) == CURLE_OK;
  if (!request->has_body) {
    return curl_easy_setopt(handle, CURLOPT_HTTPGET, 1L) == CURLE_OK
        && curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, is_get ? NULL : request->method)
        == CURLE_OK;
  }
  const void *body = request->body_count == 0 ? "" : request->body;
  bool is_post = strcmp(request->method, "POST") == 0;
  return curl_easy_setopt(handle, CURLOPT_POST, 1L) == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body_count)
      == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_COPYPOSTFIELDS, body) == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, is_post ? NULL : request->method)
      == CURLE_OK;
}

static bool set_times(CURL *handle, const CCurlRequest *request) {
  return curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, (long)request->deadline_milliseconds)
      == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, (long)request->connect_milliseconds)
      == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, request->silence_seconds != 0 ? 1L : 0L)
      == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, (long)request->silence_seconds)
      == CURLE_OK;
}

/// Keeps an ended transfer and its handle for reuse, or frees them.
static void recycle(CCurlTransfer *transfer) {
  CCurlLoop *loop = transfer->loop;
  curl_slist_free_all(transfer->fields);
  transfer->fields = NULL;
  // libcurl counts the retries of a handle over all of its requests, and limits them. So a handle
  // that has retried is not reused.
  if (loop->spare_count >= spare_max || transfer->attempts > 1) {
    transfer_free(transfer);
    return;
  }
  // An empty body replaces, and so frees, a long one. Its size is set first, because libcurl uses
  // the size when the body is set.
  curl_easy_setopt(transfer->handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)0);
  curl_easy_setopt(transfer->handle, CURLOPT_COPYPOSTFIELDS, "");
  transfer->next = loop->spare;
  loop->spare = transfer;
  loop->spare_count++;
}

/// Removes headers that libcurl adds by default.
static bool remove_default_headers(CCurlTransfer *transfer) {
  return ccurl_transfer_add(transfer, "Accept:") && ccurl_transfer_add(transfer, "Expect:");
}

CCurlTransfer *ccurl_transfer_make(
    CCurlLoop *loop, const CCurlRequest *request, CCurlListener listener) {
  CCurlTransfer *transfer = make(loop);
  if (transfer == NULL) return NULL;
  transfer->listener = listener;
  transfer->attempts = 0;
  transfer->is_sent = transfer->is_started = transfer->is_spent = false;
  transfer->words[0] = 0;
  transfer->previous = NULL;
  transfer->next = loop->first;
  if (loop->first != NULL) loop->first->previous = transfer;
  loop->first = transfer;
  CURL *handle = transfer->handle;
  bool is_set = remove_default_headers(transfer) && set_content(handle, request)
      && set_times(handle, request)
      && pin(transfer, request)
      && curl_easy_setopt(handle, CURLOPT_UNIX_SOCKET_PATH, request->socket) == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_URL, request->url) == CURLE_OK;
  if (is_set) return transfer;
  transfer->listener.context = NULL;
  transfer_end(transfer, CURLE_OUT_OF_MEMORY);
  return NULL;
}

bool ccurl_transfer_add(CCurlTransfer *transfer, const char *field) {
  struct curl_slist *fields = curl_slist_append(transfer->fields, field);
  if (fields != NULL) transfer->fields = fields;
  return fields != NULL;
}

void ccurl_transfer_start(CCurlTransfer *transfer) {
  CURLM *transfers = loop_transfers(transfer->loop);
  transfer->is_started = transfers != NULL
      && curl_easy_setopt(transfer->handle, CURLOPT_HTTPHEADER, transfer->fields) == CURLE_OK
      && curl_multi_add_handle(transfers, transfer->handle) == CURLM_OK;
  // The loop's thread calls `end` later.
  if (!transfer->is_started) transfer->loop->has_unstarted = true;
}

void ccurl_transfer_resume(CCurlTransfer *transfer) {
  if (transfer->is_started) curl_easy_pause(transfer->handle, CURLPAUSE_CONT);
}

void ccurl_transfer_stop(CCurlTransfer *transfer) {
  transfer_end(transfer, CURLE_ABORTED_BY_CALLBACK);
}

// MARK: Ends

/// The lowest verification code of OpenSSL (X509_V_ERR_…) that means a fault of the chain.
static const long verdict_min = 2;

static CCurlEnding certificate_ending(CURL *handle) {
  long verdict = 0;
  curl_easy_getinfo(handle, CURLINFO_SSL_VERIFYRESULT, &verdict);
  // Lower codes mean that the chain itself is valid.
  return verdict < verdict_min ? CCurlEndingOtherName : CCurlEndingUntrusted;
}

static CCurlEnding ending(const CCurlTransfer *transfer, CURLcode code) {
  switch (code) {
    case CURLE_OK: return CCurlEndingWhole;
    case CURLE_WRITE_ERROR: return CCurlEndingStopped;
    // Either the transfer was stopped, or every attempt met a connection that was being closed.
    case CURLE_ABORTED_BY_CALLBACK:
      return transfer->is_spent ? CCurlEndingBrokenOff : CCurlEndingStopped;
    case CURLE_OPERATION_TIMEDOUT: return CCurlEndingLate;
    case CURLE_COULDNT_RESOLVE_HOST: return CCurlEndingNameUnknown;
    case CURLE_COULDNT_CONNECT: return CCurlEndingUnconnected;
    case CURLE_PEER_FAILED_VERIFICATION: return certificate_ending(transfer->handle);
    case CURLE_SSL_CACERT_BADFILE: return CCurlEndingAuthoritiesUnreadable;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CERTPROBLEM: return CCurlEndingTLSFailed;
    // libcurl also uses these codes for a reply that is not HTTP/1 and for too long headers.
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_OUT_OF_MEMORY:
      return transfer->is_sent ? CCurlEndingNotHTTP : CCurlEndingFailed;
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_BAD_CONTENT_ENCODING:
    case CURLE_FILESIZE_EXCEEDED: return CCurlEndingNotHTTP;
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
      // A refusal by a proxy also has these codes; libcurl's error text contains the proxy's
      // answer.
      return transfer->loop->proxy != NULL && !transfer->is_sent ? CCurlEndingFailed
                                                                 : CCurlEndingBrokenOff;
    case CURLE_URL_MALFORMAT: return CCurlEndingUnreadable;
    default: return CCurlEndingFailed;
  }
}

static CCurlOutcome outcome(const CCurlTransfer *transfer, CURLcode code) {
  CCurlOutcome outcome = {.ending = ending(transfer, code), .is_sent = transfer->is_sent};
  curl_off_t connected = 0;
  long number = 0;
  curl_easy_getinfo(transfer->handle, CURLINFO_CONNECT_TIME_T, &connected);
  curl_easy_getinfo(transfer->handle, CURLINFO_OS_ERRNO, &number);
  outcome.is_connected = transfer->is_sent || connected > 0;
  outcome.error_number = code == CURLE_COULDNT_CONNECT ? (int32_t)number : 0;
  const char *words = transfer->words[0] != 0 ? transfer->words : curl_easy_strerror(code);
  snprintf(outcome.words, sizeof outcome.words, "%s", words);
  return outcome;
}

void transfer_end(CCurlTransfer *transfer, CURLcode code) {
  CCurlLoop *loop = transfer->loop;
  if (transfer->is_started) curl_multi_remove_handle(loop->transfers, transfer->handle);
  if (transfer->previous != NULL) transfer->previous->next = transfer->next;
  if (transfer->previous == NULL) loop->first = transfer->next;
  if (transfer->next != NULL) transfer->next->previous = transfer->previous;
  CCurlOutcome result = outcome(transfer, code);
  CCurlListener listener = transfer->listener;
  recycle(transfer);
  if (listener.context != NULL) listener.end(listener.context, &result);
}
