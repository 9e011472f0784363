"""The pages of settings while requests are pending or fail: no input is lost or refused."""

import re
import signal

from browser import check, show_all_settings

WRITES = re.compile(r"/preferences\?form=[a-z]+$")


def hold_writes(page, method="PATCH"):
    """Holds back writes of preferences. Returns the list to which they are added. A test sends a
    write by its method `continue_`."""
    routes = []
    page.route(WRITES, lambda route: routes.append(route) if route.request.method == method
               else route.continue_())
    return routes


def wait_for(page, routes, count):
    while len(routes) < count:
        page.wait_for_timeout(20)


def wait_until_sent(page):
    """Waits for the answer to another request, so that earlier requests have been sent."""
    page.evaluate("() => fetch('/').then(answer => answer.text())")


def preferences(service, person):
    return service.ask("GET", "/v1/recipients/%s/preferences" % person)


def two_switches_at_once_are_both_saved(browser, service):
    service.report("dana", "streak.started", {})
    page = browser.open("recipient:dana", address="#/me/settings")
    show_all_settings(page)
    routes = hold_writes(page)
    general = page.locator(".settings").first
    for name in ("Push", "SMS"):
        general.get_by_role("switch", name=name).uncheck()
    wait_for(page, routes, 1)
    wait_until_sent(page)
    check(len(routes) == 1, "the second write does not wait for the first")
    routes[0].continue_()
    wait_for(page, routes, 2)
    check(not general.get_by_role("switch", name="SMS").is_checked(), "the old state is shown")
    with page.expect_response(lambda answer: answer.request.method == "GET"
                              and WRITES.search(answer.url)):
        routes[1].continue_()
    page.wait_for_selector("#toast >> text=Saved")
    check(page.locator("#toast >> text=someone else").count() == 0, "a switch is reset")
    channels = preferences(service, "dana")["channels"]
    check(not channels["push"] and not channels["sms"], "the saved channels are %s" % channels)
    browser.close(page)


def open_with_draft(browser, service, person):
    """Opens a person's settings, and makes a draft in which the quiet hours are on."""
    service.report(person, "streak.started", {})
    page = browser.open("support", address="#/p/%s/settings" % person)
    show_all_settings(page)
    page.get_by_role("switch", name="Quiet hours").check()
    page.locator("aside").get_by_role("button", name="Apply").wait_for()
    return page


def changes_during_the_application_of_a_draft_stay(browser, service):
    page = open_with_draft(browser, service, "yara")
    routes = hold_writes(page)
    apply = page.locator("aside").get_by_role("button", name="Apply")
    apply.dblclick()
    wait_for(page, routes, 1)
    page.get_by_role("switch", name="On vacation").check()
    page.get_by_role("switch", name="Quiet hours").uncheck()
    wait_until_sent(page)
    check(len(routes) == 1, "the draft is applied twice")
    routes[0].continue_()
    page.wait_for_selector("#toast >> text=Saved")
    check(preferences(service, "yara")["quietHours"]["enabled"], "the draft is not applied")
    check(page.get_by_role("switch", name="On vacation").is_checked(), "a change is lost")
    check(not page.get_by_role("switch", name="Quiet hours").is_checked(), "the switch is not kept")
    page.click("#toast .close")
    apply.click()
    wait_for(page, routes, 2)
    routes[1].continue_()
    page.wait_for_selector("aside >> text=Change a setting")
    saved = preferences(service, "yara")
    check(saved["vacation"]["mode"] and not saved["quietHours"]["enabled"],
          "the second draft is not applied")
    browser.close(page)


def a_drafts_panel_returns_with_the_service(browser, service):
    page = open_with_draft(browser, service, "ines")
    service.end(signal.SIGKILL)
    page.get_by_role("switch", name="On vacation").check()
    page.wait_for_selector("aside [role=alert] >> text=Try again")
    service.start()
    page.locator("aside").get_by_role("button", name="Apply").wait_for()
    page.context.close()


def a_supporters_draft_is_not_shown_to_the_person(browser, service):
    """The supporter and the person use one tab, where the person signs in with a ticket."""
    page = open_with_draft(browser, service, "mona")
    page.goto(service.sign_in_address("recipient:mona"))
    # Until the ticket is exchanged, the page is still the supporter's.
    page.wait_for_selector("#top nav >> text=My notifications")
    browser.go(page, "#/me/settings")
    show_all_settings(page)
    check(not page.get_by_role("switch", name="Quiet hours").is_checked(), "a draft is shown")
    browser.close(page)


def waiting_for_an_endless_vacation_has_no_date(browser, service):
    vacation = {"mode": True, "until": "2900-01-01"}
    service.report("lina", "preferences.updated", {"vacation": vacation})
    service.report("lina", "notification.requested", {
        "category": "ACHIEVEMENTS", "title": "Kept", "body": "Until then"})
    page = browser.open("support", address="#/p/lina/settings")
    show_all_settings(page)
    page.get_by_label("Until", exact=True).fill("")
    page.get_by_label("Until", exact=True).dispatch_event("change")
    change = page.locator("aside .changes li >> text=when the vacation ends").first
    change.wait_for()
    text = change.inner_text()
    check("2900 " in text.replace(",", " ") and "99" not in text, "the change is %s" % text)
    page.click("aside >> text=Discard")
    browser.close(page)


def a_double_click_acts_once(browser, service):
    """Also checks that the file dialog of the import causes no fault if it is closed."""
    page = browser.open("support", address="#/p/layla/settings")
    show_all_settings(page)
    routes = []
    page.route("**/test", lambda route: routes.append(route))
    page.get_by_role("button", name="Test", exact=True).dblclick()
    wait_for(page, routes, 1)
    wait_until_sent(page)
    check(len(routes) == 1, "the test is sent %d times" % len(routes))
    routes[0].continue_()
    page.wait_for_selector("#toast >> text=Test notification queued")
    page.get_by_label("Import").dispatch_event("change")
    wait_until_sent(page)
    browser.close(page)


def vacations_are_announced_and_windows_added(browser, service):
    service.report("nadia", "streak.started", {})
    page = browser.open("recipient:nadia", address="#/me/settings")
    show_all_settings(page)
    page.get_by_label("Announced: From").fill("2900-07-01")
    page.get_by_label("Announced: Until").fill("2900-07-14")
    page.get_by_role("button", name="Announce", exact=True).click()
    page.wait_for_selector("#toast >> text=Saved")
    dates = preferences(service, "nadia")["vacation"]["announced"]
    check(dates == {"2900-07-01": "2900-07-14"}, "the announced vacations are %s" % dates)
    page.click("#toast .close")
    page.get_by_role("button", name="Cancel: Jul 1, 2900").click()
    page.wait_for_selector("#toast >> text=Saved")
    check(not preferences(service, "nadia")["vacation"]["announced"], "the vacation stays")
    page.click("#toast .close")
    page.get_by_label("More quiet hours: From").fill("00:00")
    page.get_by_label("More quiet hours: To").fill("00:00")
    page.locator("fieldset", has=page.get_by_label("More quiet hours: To")).get_by_role(
        "checkbox", name="Sun", exact=True).check()
    page.get_by_role("button", name="Add", exact=True).click()
    page.wait_for_selector("#toast >> text=Saved")
    windows = preferences(service, "nadia")["quietHours"]["windows"]
    check(windows == [{"days": ["sun"], "start": "00:00", "end": "24:00"}],
          "the windows are %s" % windows)
    browser.close(page)


def settings_are_found_by_a_search_and_an_index(browser, service):
    page = browser.open("support", address="#/p/layla/settings")
    show_all_settings(page)
    search = page.get_by_label("Search settings")
    search.fill("weekend")
    page.get_by_role("switch", name="Quiet hours").wait_for(state="hidden")
    check(page.get_by_role("switch", name="Skip weekends").is_visible(), "a match is hidden")
    # A change redraws the form, and the search stays.
    page.get_by_role("switch", name="Skip weekends").check()
    page.locator("aside").get_by_role("button", name="Discard").click()
    page.wait_for_selector("aside >> text=Change a setting")
    check(page.get_by_role("switch", name="Quiet hours").is_hidden(), "the search is lost")
    search.fill("no such setting")
    page.wait_for_selector("text=No setting contains this")
    search.fill("")
    page.get_by_role("button", name="Reminders", exact=True).click()
    check(page.evaluate("() => document.activeElement.textContent") == "Reminders",
          "the section does not get the focus")
    browser.close(page)


def choices_have_the_catalogs_titles(browser, service):
    page = browser.open("support", address="#/p/layla/settings")
    show_all_settings(page)
    options = page.locator("select option").all_text_contents()
    for name in ("Daily, when I am there", "Urgent ones"):
        check(name in options, "%s is not among %s" % (name, options))
    browser.close(page)


def controls_are_in_reach(browser, service):
    """Switches stay on a phone's screen at double font size. Links are high enough to tap."""
    page = browser.open("recipient:layla", "phone", "#/me/settings")
    page.evaluate("() => { document.documentElement.style.fontSize = '200%'; }")
    for switch in page.locator(".switch").all():
        box = switch.bounding_box()
        check(box["x"] >= 0 and box["x"] + box["width"] <= 320, "a switch is at %s" % box)
    browser.close(page)
    page = browser.open("support", address="#/people")
    height = page.locator("th > a").first.bounding_box()["height"]
    check(height >= 44, "a link is %s px high" % height)
    browser.close(page)


__all__ = [
    "a_supporters_draft_is_not_shown_to_the_person", "a_drafts_panel_returns_with_the_service",
    "choices_have_the_catalogs_titles", "two_switches_at_once_are_both_saved",
    "changes_during_the_application_of_a_draft_stay", "controls_are_in_reach",
    "a_double_click_acts_once", "settings_are_found_by_a_search_and_an_index",
    "vacations_are_announced_and_windows_added", "waiting_for_an_endless_vacation_has_no_date"]
