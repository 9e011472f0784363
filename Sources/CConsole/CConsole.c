// Each file of web/ stands here twice: with its bytes, and with its name.
#include "CConsole.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char api_js[] = {
#embed "web/api.js"
};
static const unsigned char bars_js[] = {
#embed "web/bars.js"
};
static const unsigned char changes_js[] = {
#embed "web/changes.js"
};
static const unsigned char days_js[] = {
#embed "web/days.js"
};
static const unsigned char dead_js[] = {
#embed "web/dead.js"
};
static const unsigned char dom_js[] = {
#embed "web/dom.js"
};
static const unsigned char fields_js[] = {
#embed "web/fields.js"
};
static const unsigned char inbox_js[] = {
#embed "web/inbox.js"
};
static const unsigned char index_html[] = {
#embed "web/index.html"
};
static const unsigned char look_css[] = {
#embed "web/look.css"
};
static const unsigned char main_js[] = {
#embed "web/main.js"
};
static const unsigned char mark_svg[] = {
#embed "web/mark.svg"
};
static const unsigned char overview_js[] = {
#embed "web/overview.js"
};
static const unsigned char parts_css[] = {
#embed "web/parts.css"
};
static const unsigned char people_js[] = {
#embed "web/people.js"
};
static const unsigned char person_js[] = {
#embed "web/person.js"
};
static const unsigned char preferences_js[] = {
#embed "web/preferences.js"
};
static const unsigned char service_js[] = {
#embed "web/service.js"
};
static const unsigned char session_js[] = {
#embed "web/session.js"
};
static const unsigned char settings_js[] = {
#embed "web/settings.js"
};
static const unsigned char signin_js[] = {
#embed "web/signin.js"
};
static const unsigned char states_js[] = {
#embed "web/states.js"
};
static const unsigned char store_js[] = {
#embed "web/store.js"
};
static const unsigned char strip_js[] = {
#embed "web/strip.js"
};
static const unsigned char texts_js[] = {
#embed "web/texts.js"
};
static const unsigned char times_js[] = {
#embed "web/times.js"
};
static const unsigned char told_js[] = {
#embed "web/told.js"
};
static const unsigned char troubles_js[] = {
#embed "web/troubles.js"
};
static const unsigned char urbannest_js[] = {
#embed "web/urbannest.js"
};
static const unsigned char why_js[] = {
#embed "web/why.js"
};
static const unsigned char words_days_js[] = {
#embed "web/words-days.js"
};
static const unsigned char words_frame_js[] = {
#embed "web/words-frame.js"
};
static const unsigned char words_service_js[] = {
#embed "web/words-service.js"
};
static const unsigned char words_settings_js[] = {
#embed "web/words-settings.js"
};
static const unsigned char words_urbannest_js[] = {
#embed "web/words-urbannest.js"
};
static const unsigned char words_js[] = {
#embed "web/words.js"
};

#define FILE(name, bytes) {name, bytes, sizeof bytes}

static const struct console_file files[] = {
  FILE("api.js", api_js),
  FILE("bars.js", bars_js),
  FILE("changes.js", changes_js),
  FILE("days.js", days_js),
  FILE("dead.js", dead_js),
  FILE("dom.js", dom_js),
  FILE("fields.js", fields_js),
  FILE("inbox.js", inbox_js),
  FILE("index.html", index_html),
  FILE("look.css", look_css),
  FILE("main.js", main_js),
  FILE("mark.svg", mark_svg),
  FILE("overview.js", overview_js),
  FILE("parts.css", parts_css),
  FILE("people.js", people_js),
  FILE("person.js", person_js),
  FILE("preferences.js", preferences_js),
  FILE("service.js", service_js),
  FILE("session.js", session_js),
  FILE("settings.js", settings_js),
  FILE("signin.js", signin_js),
  FILE("states.js", states_js),
  FILE("store.js", store_js),
  FILE("strip.js", strip_js),
  FILE("texts.js", texts_js),
  FILE("times.js", times_js),
  FILE("told.js", told_js),
  FILE("troubles.js", troubles_js),
  FILE("urbannest.js", urbannest_js),
  FILE("why.js", why_js),
  FILE("words-days.js", words_days_js),
  FILE("words-frame.js", words_frame_js),
  FILE("words-service.js", words_service_js),
  FILE("words-settings.js", words_settings_js),
  FILE("words-urbannest.js", words_urbannest_js),
  FILE("words.js", words_js),
};

const struct console_file *console_file(size_t index) {
  return index < sizeof files / sizeof *files ? &files[index] : NULL;
}
