"""Tests of the console in a browser. Each task is a function whose name is the tested behaviour.

Usage: console_test.py CHIMED CATALOGS DIRECTORY_OF_SERVICE DIRECTORY_OF_PICTURES
"""

import gzip
import os
import re
import sys
import urllib.request

from playwright.sync_api import sync_playwright

from app_tasks import only_a_configured_origin_may_send_requests
from browser import Browser, ConsoleService, Fault, PROFILES, check
from operator_tasks import (
    a_draft_shows_its_messages_and_its_changes, a_hidden_page_requests_nothing,
    a_reload_loads_the_file_or_shows_its_fault, dead_letters_are_counted_and_resent_in_groups,
    dead_letters_are_updated_except_during_a_choice, pages_use_the_stream_instead_of_polling,
    the_feed_is_updated_and_can_be_searched, the_next_instants_are_listed_with_their_numbers,
    an_outdated_trial_is_not_shown, without_a_stream_pages_poll)
from entry_tasks import (
    a_module_that_fails_to_load_can_be_loaded_again, an_address_without_a_page_opens_the_overview,
    an_invalid_ticket_ends_no_session, an_invalid_token_is_reported,
    an_invalid_address_is_shown_unchanged, stored_data_of_people_is_removed_at_sign_out)
from fleet_tasks import (
    a_node_is_drained_by_keyboard, the_nodes_of_a_fleet_can_be_seen,
    the_overview_shows_the_state_of_the_fleet)
from forecast_tasks import a_click_on_a_bar_opens_the_table_at_its_time, the_next_day_can_be_seen
from frame_tasks import (
    a_phone_has_a_menu, a_toast_disappears_and_an_error_stays,
    pages_and_people_are_found_by_the_jump_dialog, the_density_is_kept)
from keyboard_tasks import (
    a_catalog_is_tried_by_keyboard, a_person_is_helped_by_keyboard,
    access_and_dead_letters_work_by_keyboard, signing_in_and_out_works_by_keyboard,
    settings_are_changed_by_keyboard, the_service_is_run_by_keyboard)
from promise_tasks import (
    a_draft_outlives_the_service, a_sink_that_is_down_is_shown_without_polling,
    the_dry_run_agrees_with_schedule_and_simulation,
    old_content_is_marked_while_the_service_is_away)
from settings_tasks import (
    a_supporters_draft_is_not_shown_to_the_person, a_drafts_panel_returns_with_the_service,
    choices_have_the_catalogs_titles, two_switches_at_once_are_both_saved,
    changes_during_the_application_of_a_draft_stay, controls_are_in_reach,
    settings_are_found_by_a_search_and_an_index, a_double_click_acts_once,
    vacations_are_announced_and_windows_added, waiting_for_an_endless_vacation_has_no_date)
from notification_tasks import (
    a_search_continues_over_empty_pages, categories_have_their_titles,
    clearing_all_needs_a_confirmation_and_can_be_undone, texts_hidden_again_can_be_requested,
    the_history_is_updated, the_history_has_days_of_the_persons_zone)

# The limits in bytes of all files that a browser loads to show a page: uncompressed, and by gzip.
LOAD_MAX, PACKED_LOAD_MAX = 120_000, 35_000
HOSTILE = "<img src=x onerror=\"window.broken=1\">"
QUIET = {"quietHours": {"enabled": True, "start": "22:00", "end": "07:00"}}
# The scope of the viewer and the address of each page, by the name of its picture.
PAGES = {
    "overview": ("admin", "#/"), "people": ("support", "#/people"),
    "days": ("support", "#/p/layla/days"),
    "notifications": ("support", "#/p/layla/notifications"),
    "settings": ("support", "#/p/layla/settings"), "dead-letters": ("support", "#/dead"),
    "feed": ("support", "#/feed"),
    "service": ("admin", "#/service"), "facts": ("support", "#/p/layla/facts"),
    "log": ("admin", "#/log"), "sink": ("support", "#/sinks/log"),
    "access": ("admin", "#/access"), "catalogs": ("support", "#/catalogs/imanpath"),
    "my-start": ("recipient:layla", "#/me"),
    "my-notifications": ("recipient:layla", "#/me/notifications"),
    "my-settings": ("recipient:layla", "#/me/settings"),
}


def report_sample_people(service):
    """Reports events of people with various days, settings and notifications. The notifications of
    erin and odo become dead letters."""
    service.report("layla", "recipient.updated", {
        "timezone": "Europe/Berlin", "email": "layla@example.org", "phone": "+4930123456"})
    service.report("layla", "preferences.updated", QUIET)
    service.report("layla", "device.registered", {
        "deviceId": "phone-1", "platform": "ios", "token": "secret-of-the-device"})
    service.report("layla", "streak.started", {})
    service.report("layla", "lesson.completed", {"day": 1})
    service.report("layla", "notification.requested", {
        "category": "ACHIEVEMENTS", "title": "Well done", "body": "A week without a day missed"})
    service.report("omar", "recipient.updated", {"timezone": "Asia/Riyadh", "locale": "ar"})
    service.report("omar", "streak.started", {})
    for name in ("erin", "odo"):
        service.report(name, "recipient.updated", {"email": name + "@example.org"})
        service.report(name, "notification.requested", {
            "category": "INVOICES", "title": "Invoice", "body": "Not deliverable"})
    for text in (HOSTILE, "Hostile"):
        service.report(HOSTILE, "notification.requested", {
            "category": "ACHIEVEMENTS", "title": text, "body": HOSTILE})


def a_ticket_works_once_and_leaves_no_trace(browser, service):
    address = service.sign_in_address("support")
    context = browser.browser.new_context()
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector("#top nav a")
    check(page.url == service.origin + "/console/", "the address is %s" % page.url)
    page.goto("about:blank")
    page.go_back()
    check("t=" not in page.url, "going back leads to %s" % page.url)
    second = browser.browser.new_context().new_page()
    second.goto(address)
    second.wait_for_selector("[role=alert]")
    check("chimectl console" in second.inner_text("main"), "the page does not say how to sign in")
    check(second.url == service.origin + "/console/", "the address has the ticket: %s" % second.url)


def every_page_can_be_seen_and_used(browser, pictures):
    for profile in PROFILES:
        for scope in {scope: None for scope, _ in PAGES.values()}:
            page = browser.open(scope, profile)
            for name in [name for name in PAGES if PAGES[name][0] == scope]:
                browser.go(page, PAGES[name][1])
                browser.check_page(page, "%s-%s" % (name, profile), pictures)
                for why in page.locator(".whys summary").all()[:1]:
                    why.click()
                    page.wait_for_selector(".explanation")
                    page.locator(".checks summary").first.click()
                    browser.check_page(page, "%s-why-%s" % (name, profile), pictures)
            browser.close(page)


def the_readme_has_a_picture(browser, pictures):
    """A maintainer copies this picture into the repository by hand."""
    page = browser.open("recipient:layla", address="#/me/days")
    page.set_viewport_size({"width": 1000, "height": 640})
    file = pictures + "/readme.png"
    page.screenshot(path=file)
    check(os.path.getsize(file) <= 150_000, "the picture is too large")
    browser.close(page)


def hostile_text_is_not_markup(browser):
    address = "#/p/" + percent_encoded(HOSTILE)
    page = browser.open("support", address=address + "/notifications")
    page.click("text=Show texts")
    page.wait_for_selector(".text")
    check(HOSTILE in page.inner_text("main"), "the text is not shown")
    browser.go(page, address + "/days")
    browser.go(page, "#/people")
    check(HOSTILE in page.inner_text("main"), "the id is not shown")
    check_no_markup(page)
    browser.go(page, "#/catalogs/imanpath")
    source = page.get_by_label("Catalog text")
    source.fill(source.input_value().replace("title: Daily Check-in", "title: '%s'" % HOSTILE))
    page.wait_for_selector(".item >> text=/onerror/ >> nth=0")
    for summary in page.locator("main details summary").all():
        summary.click()
    page.wait_for_selector(".preview >> text=/onerror/ >> nth=0")
    check_no_markup(page)
    page.click("text=Discard")
    browser.close(page)


def check_no_markup(page):
    check(page.evaluate("() => window.broken") is None, "the text ran as code")
    check(page.locator("main img").count() == 0, "the text became an image")


def percent_encoded(text):
    return re.sub(r"[^\w.~-]", lambda match: "%%%02X" % ord(match.group()), text)


def texts_are_shown_on_request(browser, service):
    page = browser.open("support", address="#/p/layla/notifications")
    check("A week without" not in page.inner_text("main"), "the text is shown without a request")
    with page.expect_response("**/text-views") as answer:
        page.click("text=Show texts")
    check(answer.value.status == 204, "the view of texts is not logged")
    page.wait_for_selector("text=A week without a day missed")
    browser.close(page)


def categories_have_titles_in_the_viewers_language(browser, service):
    def titles(query):
        schema = service.ask("GET", "/v1/recipients/layla/preferences/schema" + query)
        categories = schema["properties"]["categories"]["properties"]
        return {category["title"] for category in categories.values()}
    expected = titles("?language=ar")
    check(expected != titles(""), "the Arabic titles are the same as the default ones")
    page = browser.open("support", "arabic", address="#/p/layla/notifications")
    options = set(page.locator("select option").all_inner_texts())
    check(expected <= options, "%s is not among %s" % (expected - options, options))
    browser.close(page)


def times_are_in_the_persons_zone(browser, service):
    """The browser's time zone, that of Vancouver, must have no effect."""
    page = browser.open("recipient:omar", address="#/me/days")
    ahead = service.ask("GET", "/v1/recipients/omar/ahead?days=7")
    timeline = [firing for firing in ahead["timeline"] if firing["at"] < ahead["days"][6]["end"]]
    check(len(timeline) > 10, "there are too few occurrences")
    expected = {clock(firing["local"]) for firing in timeline}
    times = {re.sub(r"\s+", " ", text) for text
             in page.locator(".item time").all_inner_texts()}
    check(times == expected, "the page shows %s, not %s" % (times, expected))
    browser.close(page)


def clock(local):
    hour, minute = int(local[11:13]), local[14:16]
    return "%d:%s %s" % (hour % 12 or 12, minute, "AM" if hour < 12 else "PM")


def pages_keep_their_size_limits(browser, service):
    for name, (scope, address) in PAGES.items():
        page = browser.open(scope, "arabic")
        paths = browser.files(page, address)
        content = b"".join(urllib.request.urlopen(path).read() for path in paths)
        sizes = len(content), len(gzip.compress(content))
        check(len(paths) > 10, "only %s is loaded" % paths)
        check(sizes[0] <= LOAD_MAX and sizes[1] <= PACKED_LOAD_MAX,
              "%s loads %d bytes, %d by gzip" % (name, *sizes))
        browser.close(page)


def pictures_come_only_from_configured_hosts(browser, service):
    """No picture is loaded until the person's texts are requested."""
    configured, other = "https://pictures.example/", "https://elsewhere.example/"
    for host in (configured, other):
        service.report("paula", "notification.requested", {
            "category": "ACHIEVEMENTS", "title": "A picture", "body": "Of paula's", "actor": {
                "id": "r", "username": "renee", "avatarUrl": host + "renee.svg"}})
    page = browser.open("support", address="#/people")
    urls = []
    page.route(re.compile("^https:"), lambda route: (urls.append(route.request.url), route.fulfill(
        content_type="image/svg+xml", body="<svg xmlns='http://www.w3.org/2000/svg'/>")))
    browser.go(page, "#/p/paula/notifications")
    page.wait_for_function("() => document.querySelectorAll('.note').length === 2")
    check(page.locator("main img").count() == 0 and not urls, "a picture is shown too early")
    page.click("text=Show texts")
    page.wait_for_function("() => { const images = [...document.querySelectorAll('.avatar img')];"
                           " return images.length === 1 && images[0].complete; }")
    check(urls == [configured + "renee.svg"], "the requests are %s" % urls)
    check("R" in page.locator(".avatar").all_inner_texts(), "the other picture has no substitute")
    page.evaluate("url => new Promise(resolve => { const image = new Image();"
                  " image.onerror = resolve; image.src = url; })", other + "other.svg")
    check(len(urls) == 1, "the page's policy allows a picture of another host: %s" % urls)
    check(any("img-src" in fault for fault in page.faults), "no violation of img-src is reported")
    page.context.close()


def people_are_found_by_the_beginning_of_their_ids(browser, service):
    for number in range(60):
        service.report("burst-%02d" % number, "streak.started", {})
    page = browser.open("support", address="#/people")
    find = page.get_by_label("Id, name, e-mail or phone")
    find.fill("burst-")
    page.wait_for_selector("main table >> text=burst-49")
    check(page.locator("main table tbody tr").count() == 50, "the first page does not have 50 rows")
    page.click("text=Show more")
    page.wait_for_selector("main table >> text=burst-59")
    check(page.locator("text=Show more").count() == 0, "after the last page, more is offered")
    find.fill("burst-1")
    page.wait_for_function("() => document.querySelectorAll('main tbody tr').length === 10")
    page.click("text=burst-17")
    page.wait_for_selector("h1 >> text=burst-17")
    browser.close(page)


def people_are_found_by_names_and_addresses(browser, service):
    service.report("p-4711", "recipient.updated", {
        "name": "Ayşe Öztürk", "email": "ayse@example.net", "phone": "+90 212 555 01 23"})
    page = browser.open("support", address="#/people")
    find = page.get_by_label("Id, name, e-mail or phone")
    for text in ("öztürk", "AYSE@example.net", "0212 5550123", "4711"):
        find.fill(text)
        page.wait_for_selector("main tbody tr:only-child >> text=Ayşe Öztürk")
    find.fill("no one has this")
    page.wait_for_selector("text=No id, name, e-mail or phone number matches.")
    find.fill("ayse@")
    find.press("Enter")
    page.wait_for_selector("h1 >> text=p-4711")
    browser.close(page)


def facts_are_shown_and_their_data_on_request(browser, service):
    page = browser.open("support", address="#/p/layla/facts")
    text = page.inner_text("main")
    check("phone-1" in text and "Europe/Berlin" in text, "the facts are missing")
    check("Phone number" in text and "Default time zone" not in text, "the facts' names are wrong")
    check("notification.requested" in text, "the event is missing")
    check("secret-of-the-device" not in page.content(), "a device's token is shown")
    check("A week without" not in page.content(), "a text is shown without a request")
    page.click("text=Show texts")
    page.wait_for_selector(".data >> text=A week without a day missed")
    browser.close(page)


def the_log_is_updated(browser, service):
    page = browser.open("support", address="#/log")
    service.report("omar", "notification.requested", {
        "category": "ACHIEVEMENTS", "title": "Never to be logged", "body": "Nor this"})
    page.wait_for_selector(".log .entry >> text=omar")
    for _ in range(2):
        service.report("omar", "notification.requested", {
            "category": "ACHIEVEMENTS", "title": "Never to be logged", "body": "Nor this"})
    page.locator(".log .entry", has_text="omar").get_by_text(re.compile(r"\d times")).wait_for()
    check("Never to be logged" not in page.content(), "a title is in the log")
    check("noteTextView" not in page.content(), "support sees the actions of others")
    page.get_by_label("Person", exact=True).fill("layla")
    page.get_by_label("Person", exact=True).dispatch_event("change")
    page.wait_for_function(
        "() => document.querySelector('.log .entry') && ![...document.querySelectorAll("
        "'.log .entry')].some(entry => !entry.textContent.includes('layla'))")
    browser.close(page)


def a_token_is_revoked_at_once_and_logged(browser, service):
    token = service.token("observer")
    page = browser.open("admin", address="#/access")
    check(token not in page.content(), "a secret is shown")
    page.once("dialog", lambda dialog: dialog.accept())
    page.locator("tr", has_text="test").get_by_role("button").first.click()
    page.wait_for_selector("#toast >> text=is revoked")
    page.wait_for_selector(".log >> text=/revoked a token/")
    status = page.evaluate(
        "token => fetch('/v1/status', {headers: {authorization: `Bearer ${token}`}})"
        ".then(answer => answer.status)", token)
    check(status == 401, "the token is still valid: %s" % status)
    status = page.evaluate(
        "() => fetch('/v1/tokens', {method: 'POST', body: '{\"name\":\"x\",\"scope\":\"admin\"}',"
        " headers: {authorization: `Bearer ${sessionStorage.getItem('chimed.token')}`}})"
        ".then(answer => answer.status)")
    check(status == 403, "a token can create tokens: %s" % status)
    browser.close(page)


def a_catalog_is_tried_before_it_is_loaded(browser, service):
    page = browser.open("support", address="#/catalogs/imanpath")
    page.wait_for_selector(".strip")
    check(page.locator(".strip").count() >= 31, "the month is missing")
    source = page.get_by_label("Catalog text")
    text = source.input_value()
    source.fill(text + "\nremainders: {}\n")
    page.wait_for_selector("text=remainders >> nth=0")
    page.click("text=/^Line /")
    selected = page.evaluate(
        "() => { const area = document.getElementById('source'); return area.value.slice("
        "area.selectionStart, area.selectionEnd); }")
    check(selected == "remainders: {}", "another line is selected: %r" % selected)
    page.click("main summary >> text=daily-lesson-reminder")
    page.wait_for_selector("main li[lang=ar] >> text=8")
    source.fill(text.replace("Daily Check-in", "A new title"))
    page.wait_for_selector(".item >> text=A new title >> nth=0")
    check("A new title" not in service.ask("GET", "/v1/catalogs/imanpath")["source"],
          "the service has loaded the draft")
    page.click("text=Discard")
    browser.close(page)


def changes_by_others_appear_at_once(browser, service):
    page = browser.open("recipient:layla", address="#/me/notifications")
    page.wait_for_selector(".item >> text=Well done >> nth=0")
    service.report("layla", "notification.requested", {
        "category": "ACHIEVEMENTS", "title": "Just now", "body": "Live"})
    page.wait_for_selector(".item >> text=Just now >> nth=0")
    browser.go(page, "#/me/days")
    before = page.locator(".item").count()
    service.ask("PATCH", "/v1/recipients/layla/preferences",
                {"reminders": {"checkin": {"enabled": False}}})
    page.wait_for_function(
        "before => document.querySelectorAll('.item').length < before", arg=before)
    service.ask("PATCH", "/v1/recipients/layla/preferences",
                {"reminders": {"checkin": {"enabled": True}}})
    browser.close(page)


def a_person_sees_only_their_pages(browser, service):
    page = browser.open("recipient:layla")
    check(page.locator("#top nav a").count() == 1, "the menu has other entries")
    for address in ("#/", "#/people", "#/p/omar", "#/dead"):
        page.evaluate("address => { location.hash = address }", address)
        page.wait_for_function("() => location.hash === '#/me'")
    browser.close(page)


def a_switch_is_saved_at_once_and_can_be_undone(browser, service):
    page = browser.open("recipient:layla", address="#/me/settings")
    promotions = page.get_by_label("Promotions & Offers")
    check(not promotions.is_checked(), "promotions are on")
    check(page.get_by_label("OTP & Verification").is_disabled(), "the category is not locked")
    check("Sent to: layla@example.org" in page.inner_text("main"), "the address is missing")
    promotions.focus()
    page.keyboard.press("Space")
    page.wait_for_selector("#toast >> text=Undo")
    check(preference(service, "push", "promotions"), "the switch is not saved")
    page.click("#toast >> text=Undo")
    page.wait_for_function("() => document.activeElement && !document.querySelector("
                           "'.settings input:checked[aria-describedby*=nothing]')")
    page.wait_for_selector("#toast >> text=Saved")
    page.wait_for_function(
        "() => [...document.querySelectorAll('label')].filter(label => "
        "label.textContent === 'Promotions & Offers').every(label => !label.control.checked)")
    check(not preference(service, "push", "promotions"), "the switch is not undone")
    start = page.get_by_label("From")
    start.fill("07:00")
    start.dispatch_event("change")
    page.wait_for_selector("text=Start and end time cannot be the same")
    browser.close(page)


def preference(service, *path):
    value = service.ask("GET", "/v1/recipients/layla/preferences?form=urbannest")
    for name in path:
        value = value[name]
    return value


def a_write_by_another_client_is_not_overwritten(browser, service):
    page = browser.open("recipient:layla")
    # The stream is blocked, so that the page does not reload before the click on the switch.
    page.route("**/stream*", lambda route: route.abort())
    browser.go(page, "#/me/settings")
    service.ask("PATCH", "/v1/recipients/layla/preferences", {"hints": {"sound": False}})
    page.get_by_label("Newsletter").click()
    page.wait_for_selector("#toast >> text=/changed since they were read/")
    check(not page.get_by_label("Newsletter").is_checked(), "the newsletter is on")
    check(not page.get_by_label("Sound").is_checked(), "the form was not reloaded")
    check(not preference(service, "email", "newsletter"), "the newsletter was saved")
    browser.close(page)


def paused_sinks(service):
    lanes = service.ask("GET", "/v1/status")["lanes"]
    return [lane["sink"] for lane in lanes if lane["paused"]]


def a_sink_is_paused_and_resumed(browser, service):
    page = browser.open("admin", address="#/sinks/log")
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Pause").focus()
    # An update must not take the focus from a button that is about to be pressed.
    before = page.locator(".tiles").inner_text()
    service.report("omar", "notification.requested", {
        "category": "ACHIEVEMENTS", "title": "Counted", "body": "By the sink"})
    page.wait_for_function(
        "before => document.querySelector('.tiles').innerText !== before", arg=before)
    page.evaluate("() => fetch('/').then(answer => answer.text())")
    check(page.evaluate("() => document.activeElement.textContent") == "Pause", "focus is lost")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Paused: deliveries wait")
    check(paused_sinks(service) == ["log"], "the sink is not paused")
    browser.go(page, "#/")
    page.wait_for_selector(".notice >> text=log is paused")
    page.wait_for_selector(".chip >> text=paused")
    browser.go(page, "#/sinks/log")
    page.get_by_role("button", name="Resume").click()
    page.wait_for_selector("#toast >> text=log is resumed")
    page.get_by_role("button", name="Pause").wait_for()
    check(paused_sinks(service) == [], "the sink is still paused")
    browser.close(page)


def a_test_of_a_sink_is_not_recorded(browser, service):
    before = service.ask("GET", "/v1/status")["lanes"]
    page = browser.open("admin", address="#/sinks/broken")
    page.get_by_role("button", name="Send a test").click()
    page.wait_for_selector(".notice.bad >> text=/test-[0-9]+/")
    browser.go(page, "#/sinks/log")
    page.get_by_label("Channel").select_option("sms")
    page.get_by_role("button", name="Send a test").click()
    page.wait_for_selector(".notice >> text=delivered")
    with open(service.directory + "/deliveries") as deliveries:
        check('"test-' in deliveries.read().splitlines()[-1], "the sink did not get the test")
    lanes = service.ask("GET", "/v1/status")["lanes"]
    check([lane["answers"] for lane in lanes] == [lane["answers"] for lane in before],
          "the test is counted: %s" % lanes)
    browser.close(page)
    page = browser.open("support", address="#/sinks/log")
    check(page.get_by_role("button", name="Send a test").count() == 0, "support may test a sink")
    browser.close(page)


def a_backup_is_saved(browser, service):
    page = browser.open("admin", address="#/service")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download backup").click()
    check(download.value.suggested_filename.endswith(".sqlite"), "the backup has no file name")
    with open(download.value.path(), "rb") as copy:
        check(copy.read(15) == b"SQLite format 3", "the backup is no database")
    browser.close(page)
    page = browser.open("observer", address="#/service")
    check(page.get_by_role("button", name="Download backup").count() == 0,
          "an observer can download a backup")
    browser.close(page)


def the_configuration_is_shown_without_secrets(browser, service):
    page = browser.open("admin", address="#/service")
    row = page.locator("tr", has_text="sinks.broken.command")
    row.wait_for()
    defaults = page.locator("tr td:last-child", has_text=re.compile("^default$")).all()
    check(defaults and not any(cell.is_visible() for cell in defaults), "defaults are not folded")
    check("/bin/sh" in row.inner_text(), "the program is not shown")
    check("line" in page.locator("tr", has_text="default-zone").inner_text(), "the line is missing")
    browser.close(page)


def reasons_are_in_the_viewers_language(browser, service):
    page = browser.open("recipient:layla", "phone", "#/me/days")
    page.locator(".whys summary").first.click()
    page.locator(".checks summary").first.click()
    gates = page.locator(".checks .gates li")
    gates.first.wait_for()
    text = " ".join(gates.all_inner_texts())
    check("Ruhezeit von" in text and "quiet hours" not in text, "the reasons are: %s" % text)
    browser.close(page)


def signing_out_ends_the_session(browser, service):
    page = browser.open("support")
    token = page.evaluate("() => sessionStorage.getItem('chimed.token')")
    page.click("text=Sign out")
    page.wait_for_selector("text=chimectl console")
    status = page.evaluate(
        "token => fetch('/v1/status', {headers: {authorization: `Bearer ${token}`}})"
        ".then(answer => answer.status)", token)
    check(status == 401, "the token is still valid: %s" % status)
    page.context.close()


def main(program, catalogs, directory, pictures):
    os.makedirs(pictures, exist_ok=True)
    service = ConsoleService(program, catalogs, directory)
    try:
        report_sample_people(service)
        with sync_playwright() as playwright:
            browser = Browser(playwright, service)
            every_page_can_be_seen_and_used(browser, pictures)
            the_nodes_of_a_fleet_can_be_seen(browser, pictures)
            the_next_day_can_be_seen(browser, pictures)
            the_readme_has_a_picture(browser, pictures)
            hostile_text_is_not_markup(browser)
            # The last tasks change the session or stop the service.
            tasks = [
                a_ticket_works_once_and_leaves_no_trace, texts_are_shown_on_request,
                categories_have_titles_in_the_viewers_language, times_are_in_the_persons_zone,
                a_person_sees_only_their_pages, a_switch_is_saved_at_once_and_can_be_undone,
                a_write_by_another_client_is_not_overwritten,
                the_dry_run_agrees_with_schedule_and_simulation,
                signing_in_and_out_works_by_keyboard, a_person_is_helped_by_keyboard,
                settings_are_changed_by_keyboard, the_service_is_run_by_keyboard,
                a_catalog_is_tried_by_keyboard, pages_keep_their_size_limits,
                people_are_found_by_the_beginning_of_their_ids,
                people_are_found_by_names_and_addresses, facts_are_shown_and_their_data_on_request,
                the_log_is_updated, the_feed_is_updated_and_can_be_searched,
                pages_use_the_stream_instead_of_polling, without_a_stream_pages_poll,
                a_hidden_page_requests_nothing, the_next_instants_are_listed_with_their_numbers,
                a_click_on_a_bar_opens_the_table_at_its_time, a_node_is_drained_by_keyboard,
                the_overview_shows_the_state_of_the_fleet,
                dead_letters_are_counted_and_resent_in_groups,
                a_draft_shows_its_messages_and_its_changes, a_token_is_revoked_at_once_and_logged,
                a_catalog_is_tried_before_it_is_loaded, changes_by_others_appear_at_once,
                a_sink_is_paused_and_resumed, a_test_of_a_sink_is_not_recorded, a_backup_is_saved,
                reasons_are_in_the_viewers_language, the_configuration_is_shown_without_secrets,
                a_reload_loads_the_file_or_shows_its_fault,
                pictures_come_only_from_configured_hosts, access_and_dead_letters_work_by_keyboard,
                only_a_configured_origin_may_send_requests, an_invalid_token_is_reported,
                an_invalid_ticket_ends_no_session, an_invalid_address_is_shown_unchanged,
                an_address_without_a_page_opens_the_overview,
                stored_data_of_people_is_removed_at_sign_out,
                a_module_that_fails_to_load_can_be_loaded_again,
                a_search_continues_over_empty_pages, the_history_has_days_of_the_persons_zone,
                the_history_is_updated, categories_have_their_titles,
                texts_hidden_again_can_be_requested, two_switches_at_once_are_both_saved,
                changes_during_the_application_of_a_draft_stay,
                a_supporters_draft_is_not_shown_to_the_person, choices_have_the_catalogs_titles,
                waiting_for_an_endless_vacation_has_no_date, a_double_click_acts_once,
                settings_are_found_by_a_search_and_an_index,
                vacations_are_announced_and_windows_added,
                clearing_all_needs_a_confirmation_and_can_be_undone, a_phone_has_a_menu,
                pages_and_people_are_found_by_the_jump_dialog, the_density_is_kept,
                a_toast_disappears_and_an_error_stays, controls_are_in_reach,
                an_outdated_trial_is_not_shown, dead_letters_are_updated_except_during_a_choice,
                signing_out_ends_the_session, a_sink_that_is_down_is_shown_without_polling,
                a_draft_outlives_the_service, a_drafts_panel_returns_with_the_service,
                old_content_is_marked_while_the_service_is_away,
            ]
            for task in tasks:
                try:
                    task(browser, service)
                except Exception as error:
                    raise Fault("%s: %s" % (task.__name__.replace("_", " "), error)) from error
            browser.browser.close()
        print("%d pages with %d browser profiles, and %d tasks"
              % (len(PAGES), len(PROFILES), len(tasks) + 2))
    finally:
        service.process.kill()


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Fault as fault:
        sys.exit("fault: %s" % fault)
