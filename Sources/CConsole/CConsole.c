// Each file of web/ is listed twice: with its bytes and with its name.
#include "CConsole.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char access_js[] = {
#embed "web/access.js"
};
static const unsigned char api_js[] = {
#embed "web/api.js"
};
static const unsigned char base_css[] = {
#embed "web/base.css"
};
static const unsigned char catalog_messages_js[] = {
#embed "web/catalog-messages.js"
};
static const unsigned char catalog_trial_js[] = {
#embed "web/catalog-trial.js"
};
static const unsigned char catalogs_css[] = {
#embed "web/catalogs.css"
};
static const unsigned char catalogs_js[] = {
#embed "web/catalogs.js"
};
static const unsigned char category_titles_js[] = {
#embed "web/category-titles.js"
};
static const unsigned char changes_js[] = {
#embed "web/changes.js"
};
static const unsigned char day_list_js[] = {
#embed "web/day-list.js"
};
static const unsigned char day_strip_js[] = {
#embed "web/day-strip.js"
};
static const unsigned char days_js[] = {
#embed "web/days.js"
};
static const unsigned char dead_letters_js[] = {
#embed "web/dead-letters.js"
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
static const unsigned char gate_inputs_js[] = {
#embed "web/gate-inputs.js"
};
static const unsigned char histogram_js[] = {
#embed "web/histogram.js"
};
static const unsigned char inbox_js[] = {
#embed "web/inbox.js"
};
static const unsigned char index_html[] = {
#embed "web/index.html"
};
static const unsigned char jump_js[] = {
#embed "web/jump.js"
};
static const unsigned char lanes_js[] = {
#embed "web/lanes.js"
};
static const unsigned char log_js[] = {
#embed "web/log.js"
};
static const unsigned char main_js[] = {
#embed "web/main.js"
};
static const unsigned char mark_svg[] = {
#embed "web/mark.svg"
};
static const unsigned char notifications_js[] = {
#embed "web/notifications.js"
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
static const unsigned char quiet_windows_js[] = {
#embed "web/quiet-windows.js"
};
static const unsigned char ranges_js[] = {
#embed "web/ranges.js"
};
static const unsigned char recipient_stream_js[] = {
#embed "web/recipient-stream.js"
};
static const unsigned char service_js[] = {
#embed "web/service.js"
};
static const unsigned char session_js[] = {
#embed "web/session.js"
};
static const unsigned char settings_index_js[] = {
#embed "web/settings-index.js"
};
static const unsigned char settings_css[] = {
#embed "web/settings.css"
};
static const unsigned char settings_js[] = {
#embed "web/settings.js"
};
static const unsigned char sign_in_js[] = {
#embed "web/sign-in.js"
};
static const unsigned char sink_test_js[] = {
#embed "web/sink-test.js"
};
static const unsigned char sink_js[] = {
#embed "web/sink.js"
};
static const unsigned char sparkline_js[] = {
#embed "web/sparkline.js"
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
static const unsigned char text_views_js[] = {
#embed "web/text-views.js"
};
static const unsigned char timeline_js[] = {
#embed "web/timeline.js"
};
static const unsigned char times_js[] = {
#embed "web/times.js"
};
static const unsigned char troubles_js[] = {
#embed "web/troubles.js"
};
static const unsigned char urbannest_js[] = {
#embed "web/urbannest.js"
};
static const unsigned char vacations_js[] = {
#embed "web/vacations.js"
};
static const unsigned char why_js[] = {
#embed "web/why.js"
};
static const unsigned char words_ar_js[] = {
#embed "web/words-ar.js"
};
static const unsigned char words_audit_ar_js[] = {
#embed "web/words-audit-ar.js"
};
static const unsigned char words_audit_de_js[] = {
#embed "web/words-audit-de.js"
};
static const unsigned char words_audit_en_js[] = {
#embed "web/words-audit-en.js"
};
static const unsigned char words_de_js[] = {
#embed "web/words-de.js"
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
static const unsigned char words_operator_ar_js[] = {
#embed "web/words-operator-ar.js"
};
static const unsigned char words_operator_de_js[] = {
#embed "web/words-operator-de.js"
};
static const unsigned char words_operator_en_js[] = {
#embed "web/words-operator-en.js"
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
static const unsigned char words_settings_ar_js[] = {
#embed "web/words-settings-ar.js"
};
static const unsigned char words_settings_de_js[] = {
#embed "web/words-settings-de.js"
};
static const unsigned char words_settings_en_js[] = {
#embed "web/words-settings-en.js"
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
static const unsigned char yaml_colours_js[] = {
#embed "web/yaml-colours.js"
};

#define FILE(name, bytes) {name, bytes, sizeof bytes}

static const struct console_file files[] = {
  FILE("access.js", access_js),
  FILE("api.js", api_js),
  FILE("base.css", base_css),
  FILE("catalog-messages.js", catalog_messages_js),
  FILE("catalog-trial.js", catalog_trial_js),
  FILE("catalogs.css", catalogs_css),
  FILE("catalogs.js", catalogs_js),
  FILE("category-titles.js", category_titles_js),
  FILE("changes.js", changes_js),
  FILE("day-list.js", day_list_js),
  FILE("day-strip.js", day_strip_js),
  FILE("days.js", days_js),
  FILE("dead-letters.js", dead_letters_js),
  FILE("dom.js", dom_js),
  FILE("facts.js", facts_js),
  FILE("feed.js", feed_js),
  FILE("fields.js", fields_js),
  FILE("fleet.js", fleet_js),
  FILE("forecast.js", forecast_js),
  FILE("gate-inputs.js", gate_inputs_js),
  FILE("histogram.js", histogram_js),
  FILE("inbox.js", inbox_js),
  FILE("index.html", index_html),
  FILE("jump.js", jump_js),
  FILE("lanes.js", lanes_js),
  FILE("log.js", log_js),
  FILE("main.js", main_js),
  FILE("mark.svg", mark_svg),
  FILE("notifications.js", notifications_js),
  FILE("overview.js", overview_js),
  FILE("parts.css", parts_css),
  FILE("parts.js", parts_js),
  FILE("people.js", people_js),
  FILE("person.js", person_js),
  FILE("preferences.js", preferences_js),
  FILE("quiet-windows.js", quiet_windows_js),
  FILE("ranges.js", ranges_js),
  FILE("recipient-stream.js", recipient_stream_js),
  FILE("service.js", service_js),
  FILE("session.js", session_js),
  FILE("settings-index.js", settings_index_js),
  FILE("settings.css", settings_css),
  FILE("settings.js", settings_js),
  FILE("sign-in.js", sign_in_js),
  FILE("sink-test.js", sink_test_js),
  FILE("sink.js", sink_js),
  FILE("sparkline.js", sparkline_js),
  FILE("states.js", states_js),
  FILE("store.js", store_js),
  FILE("stream.js", stream_js),
  FILE("text-views.js", text_views_js),
  FILE("timeline.js", timeline_js),
  FILE("times.js", times_js),
  FILE("troubles.js", troubles_js),
  FILE("urbannest.js", urbannest_js),
  FILE("vacations.js", vacations_js),
  FILE("why.js", why_js),
  FILE("words-ar.js", words_ar_js),
  FILE("words-audit-ar.js", words_audit_ar_js),
  FILE("words-audit-de.js", words_audit_de_js),
  FILE("words-audit-en.js", words_audit_en_js),
  FILE("words-de.js", words_de_js),
  FILE("words-en.js", words_en_js),
  FILE("words-health-ar.js", words_health_ar_js),
  FILE("words-health-de.js", words_health_de_js),
  FILE("words-health-en.js", words_health_en_js),
  FILE("words-operator-ar.js", words_operator_ar_js),
  FILE("words-operator-de.js", words_operator_de_js),
  FILE("words-operator-en.js", words_operator_en_js),
  FILE("words-service-ar.js", words_service_ar_js),
  FILE("words-service-de.js", words_service_de_js),
  FILE("words-service-en.js", words_service_en_js),
  FILE("words-settings-ar.js", words_settings_ar_js),
  FILE("words-settings-de.js", words_settings_de_js),
  FILE("words-settings-en.js", words_settings_en_js),
  FILE("words-why-ar.js", words_why_ar_js),
  FILE("words-why-de.js", words_why_de_js),
  FILE("words-why-en.js", words_why_en_js),
  FILE("words.js", words_js),
  FILE("yaml-colours.js", yaml_colours_js),
};

const struct console_file *console_file(size_t index) {
  return index < sizeof files / sizeof *files ? &files[index] : NULL;
}
