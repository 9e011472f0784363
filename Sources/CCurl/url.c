#include "CCurl.h"

#include <curl/curl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/// Returns a part of a URL, to be freed by `curl_free`; NULL if the URL does not have it.
static char *part(CURLU *url, CURLUPart what) {
  char *text = NULL;
  curl_url_get(url, what, &text, CURLU_DEFAULT_PORT);
  return text;
}

bool ccurl_url_leads_to(const char *text, const char *host, int32_t port) {
  CURLU *url = curl_url();
  if (url == NULL) return false;
  char bracketed[512], number[16];
  snprintf(bracketed, sizeof bracketed, strchr(host, ':') == NULL ? "%s" : "[%s]", host);
  snprintf(number, sizeof number, "%d", port);
  bool leads_there = false;
  if (curl_url_set(url, CURLUPART_URL, text, CURLU_DISALLOW_USER | CURLU_PATH_AS_IS) == CURLUE_OK) {
    char *found = part(url, CURLUPART_HOST), *found_port = part(url, CURLUPART_PORT);
    leads_there = found != NULL && found_port != NULL && strcasecmp(found, bracketed) == 0
        && strcmp(found_port, number) == 0;
    curl_free(found);
    curl_free(found_port);
  }
  curl_url_cleanup(url);
  return leads_there;
}
