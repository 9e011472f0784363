// Each file of web/ stands here twice: with its bytes, and with its name.
#include "CConsole.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char access_js[] = {
#embed "web/access.js"
};
static const unsigned char api_js[] = {
#embed "web/api.js"
};
static const unsigned char bars_js[] = {
#embed "web/bars.js"
};
static const unsigned char catalogs_js[] = {
#embed "web/catalogs.js"
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
static const unsigned char facts_js[] = {
#embed "web/facts.js"
};
static const unsigned char feed_js[] = {
#embed "web/feed.js"
};
static const unsigned char fields_js[] = {
#embed "web/fields.js"
};
static const unsigned char fleet_js[] = {
#embed "web/fleet.js"
};
static const unsigned char forecast_js[] = {
#embed "web/forecast.js"
};
static const unsigned char inbox_js[] = {
#embed "web/inbox.js"
};
static const unsigned char index_html[] = {
#embed "web/index.html"
};
static const unsigned char live_js[] = {
#embed "web/live.js"
};
static const unsigned char log_js[] = {
#embed "web/log.js"
};
static const unsigned char look_css[] = {
#embed "web/look.css"
};
static const unsigned char looked_js[] = {
#embed "web/looked.js"
};
static const unsigned char main_js[] = {
#embed "web/main.js"
};
static const unsigned char mark_svg[] = {
#embed "web/mark.svg"
};
static const unsigned char merged_js[] = {
#embed "web/merged.js"
};
static const unsigned char messages_js[] = {
#embed "web/messages.js"
};
static const unsigned char overview_js[] = {
#embed "web/overview.js"
};
static const unsigned char parts_css[] = {
#embed "web/parts.css"
};
static const unsigned char parts_js[] = {
#embed "web/parts.js"
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
static const unsigned char ranges_js[] = {
#embed "web/ranges.js"
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
static const unsigned char sink_js[] = {
#embed "web/sink.js"
};
static const unsigned char sinktest_js[] = {
#embed "web/sinktest.js"
};
static const unsigned char spark_js[] = {
#embed "web/spark.js"
};
static const unsigned char states_js[] = {
#embed "web/states.js"
};
static const unsigned char store_js[] = {
#embed "web/store.js"
};
static const unsigned char stream_js[] = {
#embed "web/stream.js"
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
static const unsigned char titles_js[] = {
#embed "web/titles.js"
};
static const unsigned char told_js[] = {
#embed "web/told.js"
};
static const unsigned char trial_js[] = {
#embed "web/trial.js"
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
static const unsigned char words_ar_js[] = {
#embed "web/words-ar.js"
};
static const unsigned char words_de_js[] = {
#embed "web/words-de.js"
};
static const unsigned char words_desk_ar_js[] = {
#embed "web/words-desk-ar.js"
};
static const unsigned char words_desk_de_js[] = {
#embed "web/words-desk-de.js"
};
static const unsigned char words_desk_en_js[] = {
#embed "web/words-desk-en.js"
};
static const unsigned char words_en_js[] = {
#embed "web/words-en.js"
};
static const unsigned char words_health_ar_js[] = {
#embed "web/words-health-ar.js"
};
static const unsigned char words_health_de_js[] = {
#embed "web/words-health-de.js"
};
static const unsigned char words_health_en_js[] = {
#embed "web/words-health-en.js"
};
static const unsigned char words_service_ar_js[] = {
#embed "web/words-service-ar.js"
};
static const unsigned char words_service_de_js[] = {
#embed "web/words-service-de.js"
};
static const unsigned char words_service_en_js[] = {
#embed "web/words-service-en.js"
};
static const unsigned char words_why_ar_js[] = {
#embed "web/words-why-ar.js"
};
static const unsigned char words_why_de_js[] = {
#embed "web/words-why-de.js"
};
static const unsigned char words_why_en_js[] = {
#embed "web/words-why-en.js"
};
static const unsigned char words_js[] = {
#embed "web/words.js"
};

#define FILE(name, bytes) {name, bytes, sizeof bytes}

static const struct console_file files[] = {
  FILE("access.js", access_js),
  FILE("api.js", api_js),
  FILE("bars.js", bars_js),
  FILE("catalogs.js", catalogs_js),
  FILE("changes.js", changes_js),
  FILE("days.js", days_js),
  FILE("dead.js", dead_js),
  FILE("dom.js", dom_js),
  FILE("facts.js", facts_js),
  FILE("feed.js", feed_js),
  FILE("fields.js", fields_js),
  FILE("fleet.js", fleet_js),
  FILE("forecast.js", forecast_js),
  FILE("inbox.js", inbox_js),
  FILE("index.html", index_html),
  FILE("live.js", live_js),
  FILE("log.js", log_js),
  FILE("look.css", look_css),
  FILE("looked.js", looked_js),
  FILE("main.js", main_js),
  FILE("mark.svg", mark_svg),
  FILE("merged.js", merged_js),
  FILE("messages.js", messages_js),
  FILE("overview.js", overview_js),
  FILE("parts.css", parts_css),
  FILE("parts.js", parts_js),
  FILE("people.js", people_js),
  FILE("person.js", person_js),
  FILE("preferences.js", preferences_js),
  FILE("ranges.js", ranges_js),
  FILE("service.js", service_js),
  FILE("session.js", session_js),
  FILE("settings.js", settings_js),
  FILE("signin.js", signin_js),
  FILE("sink.js", sink_js),
  FILE("sinktest.js", sinktest_js),
  FILE("spark.js", spark_js),
  FILE("states.js", states_js),
  FILE("store.js", store_js),
  FILE("stream.js", stream_js),
  FILE("strip.js", strip_js),
  FILE("texts.js", texts_js),
  FILE("times.js", times_js),
  FILE("titles.js", titles_js),
  FILE("told.js", told_js),
  FILE("trial.js", trial_js),
  FILE("troubles.js", troubles_js),
  FILE("urbannest.js", urbannest_js),
  FILE("why.js", why_js),
  FILE("words-ar.js", words_ar_js),
  FILE("words-de.js", words_de_js),
  FILE("words-desk-ar.js", words_desk_ar_js),
  FILE("words-desk-de.js", words_desk_de_js),
  FILE("words-desk-en.js", words_desk_en_js),
  FILE("words-en.js", words_en_js),
  FILE("words-health-ar.js", words_health_ar_js),
  FILE("words-health-de.js", words_health_de_js),
  FILE("words-health-en.js", words_health_en_js),
  FILE("words-service-ar.js", words_service_ar_js),
  FILE("words-service-de.js", words_service_de_js),
  FILE("words-service-en.js", words_service_en_js),
  FILE("words-why-ar.js", words_why_ar_js),
  FILE("words-why-de.js", words_why_de_js),
  FILE("words-why-en.js", words_why_en_js),
  FILE("words.js", words_js),
};

const struct console_file *console_file(size_t index) {
  return index < sizeof files / sizeof *files ? &files[index] : NULL;
}
