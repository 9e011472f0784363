// The macro makes <string.h> declare memmem.
#define _GNU_SOURCE

#include "letter.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

// libcurl's result codes do not contain the stage, so it is derived from the sent commands.

static bool begins(const char *data, size_t count, const char *command) {
  size_t length = strlen(command);
  return count >= length && strncasecmp(data, command, length) == 0;
}

/// Begins a stage, which has no reply yet.
static void enter(Letter *letter, CCurlStage stage) {
  letter->receipt.stage = stage;
  letter->receipt.reply_code = 0;
  letter->receipt.reply_count = 0;
  letter->is_reply_complete = true;
}

const char *const mechanisms[] = {
    "DIGEST-MD5", "CRAM-MD5", "NTLM", "PLAIN", "LOGIN", NULL,
};

const unsigned password_mechanisms = 1u << 3 | 1u << 4;

/// Returns the bits of the AUTH mechanisms whose names are words of a text.
static unsigned mechanisms_in(const char *text, size_t count) {
  unsigned found = 0;
  size_t start = 0;
  for (size_t end = 0; end <= count; end++) {
    if (end < count && !isspace((unsigned char)text[end])) continue;
    for (int index = 0; mechanisms[index] != NULL; index++) {
      bool is_equal = end - start == strlen(mechanisms[index])
          && strncasecmp(text + start, mechanisms[index], end - start) == 0;
      if (is_equal) found |= 1u << index;
    }
    start = end + 1;
  }
  return found;
}

static void note_command(Letter *letter, const char *data, size_t count) {
  letter->is_greeting = begins(data, count, "EHLO");
  letter->is_greeted |= letter->is_greeting;
  if (letter->is_greeting) letter->offered_mechanisms = 0;
  if (begins(data, count, "QUIT")) {
    letter->is_over = true;
  } else if (begins(data, count, "AUTH ")) {
    enter(letter, CCurlStageAuthenticating);
    letter->attempted_mechanism = mechanisms_in(data, count);
    letter->is_challenged = false;
  } else if (begins(data, count, "MAIL FROM:")) {
    enter(letter, CCurlStageSender);
    letter->has_declared_utf8 = memmem(data, count, " SMTPUTF8", 9) != NULL;
    letter->receipt.lacks_auth =
        letter->needs_auth && letter->is_greeted && letter->attempted_mechanism == 0;
  } else if (begins(data, count, "RCPT TO:")) {
    enter(letter, CCurlStageRecipient);
  } else if (begins(data, count, "DATA")) {
    enter(letter, CCurlStageContent);
  }
}

/// Changes the names of extensions in a reply to EHLO to capitals, and stores the AUTH mechanisms.
/// Servers may use any case (RFC 5321, section 2.4), but libcurl recognizes only capitals. libcurl
/// parses each line from this buffer after this call.
static void note_line(Letter *letter, char *line, size_t count) {
  if (!letter->is_greeting || !begins(line, count, "250") || count < 4) return;
  for (size_t index = 4; index < count; index++) {
    line[index] = (char)toupper((unsigned char)line[index]);
  }
  if (begins(line + 4, count - 4, "AUTH ")) {
    letter->offered_mechanisms |= mechanisms_in(line + 4, count - 4);
  }
}

static int on_debug(CURL *handle, curl_infotype type, char *data, size_t count, void *context) {
  (void)handle;
  if (type == CURLINFO_HEADER_OUT) note_command(context, data, count);
  if (type == CURLINFO_HEADER_IN) note_line(context, data, count);
  return 0;
}

/// Appends a line's text, without its line break, to the reply.
static void append(CCurlReceipt *receipt, const char *text, size_t count) {
  while (count > 0 && (text[count - 1] == '\r' || text[count - 1] == '\n')) count--;
  if (receipt->reply_count > 0 && receipt->reply_count < CCURL_TEXT_MAX) {
    receipt->reply[receipt->reply_count++] = ' ';
  }
  size_t room = CCURL_TEXT_MAX - receipt->reply_count;
  size_t copied = count < room ? count : room;
  memcpy(receipt->reply + receipt->reply_count, text, copied);
  receipt->reply_count += copied;
}

/// Receives a line of a reply, such as "250-SIZE 1000" or "550 5.1.1 No such user".
static size_t on_reply(char *line, size_t size, size_t count, void *context) {
  Letter *letter = context;
  count *= size;
  if (letter->is_over || count < 4) return count;
  for (int index = 0; index < 3; index++) {
    if (!isdigit((unsigned char)line[index])) return count;
  }
  CCurlReceipt *receipt = &letter->receipt;
  if (letter->is_reply_complete) receipt->reply_count = 0;
  receipt->reply_code = (line[0] - '0') * 100 + (line[1] - '0') * 10 + (line[2] - '0');
  append(receipt, line + 4, count - 4);
  letter->is_challenged |= receipt->reply_code == 334;
  letter->is_reply_complete = line[3] != '-';
  // Abort if the server offers no way to authenticate the user.
  if (receipt->lacks_auth) return 0;
  // Abort before the address is sent: without SMTPUTF8 the server would misread it.
  if (letter->needs_utf8 && receipt->stage == CCurlStageSender && !letter->has_declared_utf8) {
    receipt->lacks_utf8 = true;
    return 0;
  }
  return count;
}

static size_t on_read(char *buffer, size_t size, size_t count, void *context) {
  Letter *letter = context;
  size_t room = size * count;
  size_t remaining = letter->count - letter->sent;
  size_t copied = remaining < room ? remaining : room;
  memcpy(buffer, letter->bytes + letter->sent, copied);
  letter->sent += copied;
  letter->receipt.reply_code = 0;
  letter->receipt.reply_count = 0;
  return copied;
}

static size_t on_write(char *data, size_t size, size_t count, void *context) {
  (void)data;
  (void)context;
  return size * count;
}

static bool set_callbacks(Letter *letter) {
  CURL *handle = letter->handle;
  return curl_easy_setopt(handle, CURLOPT_PRIVATE, letter) == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_VERBOSE, 1L) == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_DEBUGFUNCTION, on_debug) == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_DEBUGDATA, letter) == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, on_reply) == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_HEADERDATA, letter) == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, on_write) == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_READFUNCTION, on_read) == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_READDATA, letter) == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, letter->receipt.error) == CURLE_OK
      && curl_easy_setopt(handle, CURLOPT_UPLOAD, 1L) == CURLE_OK;
}

_Static_assert((int)CCURL_TEXT_MAX >= (int)CURL_ERROR_SIZE, "libcurl writes that many bytes");

Letter *letter_create(
    const char *sender, const char *recipient, const void *bytes, size_t count, bool needs_utf8) {
  Letter *letter = calloc(1, sizeof *letter);
  if (letter == NULL) return NULL;
  letter->needs_utf8 = needs_utf8;
  letter->is_reply_complete = true;
  letter->count = count;
  letter->bytes = malloc(count > 0 ? count : 1);
  letter->handle = curl_easy_init();
  letter->recipients = curl_slist_append(NULL, recipient);
  if (letter->bytes == NULL || letter->handle == NULL || letter->recipients == NULL
      || !set_callbacks(letter)
      || curl_easy_setopt(letter->handle, CURLOPT_MAIL_FROM, sender) != CURLE_OK
      || curl_easy_setopt(letter->handle, CURLOPT_MAIL_RCPT, letter->recipients) != CURLE_OK) {
    letter_destroy(letter);
    return NULL;
  }
  memcpy(letter->bytes, bytes, count);
  return letter;
}

void letter_destroy(Letter *letter) {
  if (letter == NULL) return;
  curl_easy_cleanup(letter->handle);
  curl_slist_free_all(letter->recipients);
  free(letter->bytes);
  free(letter);
}

/// Shuts the connection down, because libcurl would otherwise reuse it although a reply is
/// outstanding.
static void shut_connection(CURL *handle) {
  curl_socket_t socket = CURL_SOCKET_BAD;
  if (curl_easy_getinfo(handle, CURLINFO_ACTIVESOCKET, &socket) == CURLE_OK
      && socket != CURL_SOCKET_BAD) {
    shutdown(socket, SHUT_RDWR);
  }
}

/// Sets the error text if libcurl set none or a wrong one. When the server closes the connection,
/// libcurl's text contains the errno of an earlier call.
static void set_error_text(CCurlReceipt *receipt, CURLcode result) {
  static const char hung_up[] = "response reading failed";
  bool is_hung_up = result == CURLE_RECV_ERROR
      && strncmp(receipt->error, hung_up, sizeof hung_up - 1) == 0;
  if (receipt->error[0] != 0 && !is_hung_up) return;
  const char *words = is_hung_up ? "the server closed the connection" : curl_easy_strerror(result);
  strncpy(receipt->error, words, CCURL_TEXT_MAX - 1);
}

void letter_conclude(Letter *letter, CURLcode result) {
  CCurlReceipt *receipt = &letter->receipt;
  bool is_answered = letter->is_reply_complete && receipt->reply_code != 0;
  receipt->is_accepted = result == CURLE_OK;
  receipt->is_timeout = result == CURLE_OPERATION_TIMEDOUT;
  receipt->lacks_auth |= result == CURLE_LOGIN_DENIED && letter->attempted_mechanism == 0;
  if (!is_answered) {
    receipt->reply_code = 0;
    receipt->reply_count = 0;
  }
  long connection_count = 0;
  curl_easy_getinfo(letter->handle, CURLINFO_NUM_CONNECTS, &connection_count);
  bool is_ended = is_answered ? receipt->reply_code == 421 : receipt->stage == CCurlStageSender;
  receipt->is_stale_connection =
      !receipt->is_accepted && !receipt->is_timeout && connection_count == 0 && is_ended;
  if (receipt->is_timeout) shut_connection(letter->handle);
  curl_off_t duration = 0;
  curl_easy_getinfo(letter->handle, CURLINFO_TOTAL_TIME_T, &duration);
  receipt->duration_microseconds = duration;
  if (result != CURLE_OK) set_error_text(receipt, result);
}
