// The macro makes <locale.h> declare newlocale.
#define _GNU_SOURCE

#include "CCurl.h"

#include <curl/curl.h>
#include <ctype.h>
#include <locale.h>
#include <string.h>

/// Returns a host name in ASCII, to be freed by `curl_free`; NULL if it is not a host name.
static char *ascii_name(const char *host) {
  CURLU *url = curl_url();
  char *name = NULL;
  if (url != NULL && curl_url_set(url, CURLUPART_SCHEME, "smtp", 0) == CURLUE_OK
      && curl_url_set(url, CURLUPART_HOST, host, 0) == CURLUE_OK) {
    curl_url_get(url, CURLUPART_HOST, &name, CURLU_PUNYCODE);
  }
  curl_url_cleanup(url);
  return name;
}

bool ccurl_ascii_host(const char *host, char *output, size_t capacity) {
  // libcurl reads the name in the locale's encoding.
  locale_t unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
  if (unicode == (locale_t)0) return false;
  locale_t previous = uselocale(unicode);
  char *name = ascii_name(host);
  uselocale(previous);
  freelocale(unicode);
  bool is_host = name != NULL && strlen(name) < capacity;
  for (size_t index = 0; is_host && index <= strlen(name); index++) {
    output[index] = (char)tolower((unsigned char)name[index]);
  }
  curl_free(name);
  return is_host;
}
