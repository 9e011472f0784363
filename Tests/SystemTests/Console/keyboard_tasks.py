"""The tasks of the console by keyboard: without a pointer, every control can be reached, the focus
is visible, and no action moves it back to the beginning."""

import json

from browser import PATIENCE, Fault, check

# The maximum number of keys until an element is reached; no page has so many controls.
MOST = 300
# The focused element: its name, and whether its focus is visible.
FOCUSED = """() => {
  const one = document.activeElement;
  if (!one || one === document.body) return null;
  const drawn = one.matches('.chips input') ? one.nextElementSibling : one;
  const style = getComputedStyle(drawn);
  const name = one.getAttribute('aria-label') ?? one.labels?.[0]?.textContent ?? one.textContent;
  return {
    name: name.trim(), kind: one.nodeName.toLowerCase(),
    isShown: one.id === 'main'
      || style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 1,
  };
}"""


class Keys:
    """A person without a pointer."""

    def __init__(self, page):
        self.page = page

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def focused(self):
        """Returns the focused element, whose focus must be visible."""
        found = self.page.evaluate(FOCUSED)
        check(found, "the focus is lost")
        check(found["isShown"], "the focus of %s is invisible" % found)
        return found

    def go(self, name, kind=None, key="Tab"):
        """Moves on until the element with that name has the focus."""
        passed = []
        for _ in range(MOST):
            found = self.page.evaluate(FOCUSED)
            if found:
                check(found["isShown"], "the focus of %s is invisible" % found)
                passed.append(found["name"][:40])
                if found["name"].startswith(name) and kind in (None, found["kind"]):
                    return
            self.press(key)
        raise Fault("no key leads to %s; %s" % (name, passed))

    def act(self, name, kind=None, key="Enter"):
        self.go(name, kind)
        self.press(key)

    def told(self, text):
        self.page.wait_for_selector("#toast >> text=%s" % text)
        self.settle()

    def settle(self):
        self.page.wait_for_function("() => !document.querySelector('main [aria-busy]')")
        self.focused()


def signing_in_and_out_works_by_keys(browser, service):
    context = browser.browser.new_context()
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(service.origin + "/console/")
    page.wait_for_selector("form")
    keys = Keys(page)
    keys.go("Or paste a token")
    page.keyboard.type(service.token("admin"))
    keys.press("Enter")
    page.wait_for_selector("#top nav a")
    keys.settle()
    keys.go("Language")
    keys.press("ArrowDown")
    page.wait_for_selector("html[dir=rtl]")
    check(keys.focused()["kind"] == "select", "choosing a language loses the focus")
    keys.press("ArrowUp")
    page.wait_for_selector("html[dir=ltr]")
    for name in ("People", "Feed", "Dead letters", "Log", "Catalogs", "Access", "Service"):
        keys.act(name, "a")
        page.wait_for_selector("h1 >> text=%s" % name)
        keys.settle()
    keys.act("Sign out")
    page.wait_for_selector("text=chimectl console")
    keys.focused()
    context.close()


def a_person_is_helped_by_keys(browser, service):
    service.tell("kim", "streak.started", {})
    for text in ("First", "Second"):
        service.tell("kim", "notification.requested", {
            "category": "ACHIEVEMENTS", "title": text, "body": "By keys"})
    page = browser.open("support", place="#/")
    keys = Keys(page)
    keys.press("/")
    page.wait_for_selector("#jump:focus")
    page.keyboard.type("kim")
    keys.press("Enter")
    page.wait_for_selector(".item")
    keys.settle()
    open_the_first_row(page, keys)
    keys.act("All checks", "summary")
    page.wait_for_selector(".whys[open] .gates li")
    keys.go("Snooze ", "select", "Shift+Tab")
    keys.press("ArrowDown", "ArrowDown", "Tab", "Enter")
    keys.told("Snoozed")
    check(keys.focused()["kind"] == "summary", "the focus is elsewhere")
    before = page.locator(".item").count()
    open_the_first_row(page, keys)
    keys.act("Cancel", "button")
    keys.told("Cancelled")
    page.wait_for_function(
        "before => document.querySelectorAll('.item').length < before", arg=before)
    keys.settle()
    a_cancelled_reminder_is_resumed(page, keys, before)
    a_series_is_cancelled(page, keys, service)
    keys.act("Show texts")
    page.wait_for_function("() => !document.querySelector('.head button')")
    keys.settle()
    keys.act("Notifications", "a")
    page.wait_for_selector("text=By keys >> nth=0")
    keys.settle()
    history_by_keys(page, keys)
    keys.act("Profile", "a")
    page.wait_for_selector("h2 >> text=Events")
    keys.settle()
    with page.expect_download() as download:
        keys.act("Export all data")
    with open(download.value.path()) as copy:
        held = json.load(copy)
    check(held["recipient"] == "kim" and "By keys" in json.dumps(held), "the export is incomplete")
    keys.focused()
    browser.close(page)


def open_the_first_row(page, keys):
    """Opens the first row that will be sent. A row is one stop of the keyboard until it is open."""
    page.locator(".item summary:has(.goes)").first.focus()
    keys.press("Enter")
    page.wait_for_selector("[open] .explanation")


def a_cancelled_reminder_is_resumed(page, keys, before):
    page.locator(".cancelled").wait_for()
    keys.act("Resume: ", "button")
    keys.told("Resumed")
    page.wait_for_function(
        "before => document.querySelectorAll('.item').length === before", arg=before)
    check(page.locator(".cancelled").count() == 0, "it is still cancelled")
    keys.settle()


def a_series_is_cancelled(page, keys, service):
    """No occurrence of the series is scheduled any more, and every other reminder still is."""
    path = "/v1/recipients/kim/scheduled"
    before = service.ask("GET", path + "?limit=1000")["scheduled"]
    open_the_first_row(page, keys)
    with page.expect_response(lambda answer: "series=true" in answer.url) as gone:
        keys.act("Cancel series", "button")
    check(gone.value.ok, "the series is not cancelled: %d" % gone.value.status)
    keys.told("Cancelled")
    left = {one["reminder"] for one in service.ask("GET", path + "?limit=1000")["scheduled"]}
    stopped = {one["reminder"] for one in before} - left
    check(len(stopped) == 1, "with one series all of %s has gone" % stopped)


def history_by_keys(page, keys):
    keys.act("Dismiss")
    keys.told("Dismissed: 1")
    check(keys.focused()["name"].startswith("Dismiss"), "the next is not reached")
    keys.press("Enter")
    page.wait_for_selector("text=Nothing recent")
    keys.settle()
    keys.go("Outcome")
    keys.press("ArrowDown")
    keys.settle()
    keys.go("Search")
    page.keyboard.type("Second")
    keys.press("Enter")
    page.wait_for_function("() => document.querySelectorAll('main .item').length <= 1")
    keys.settle()


def settings_are_changed_by_keys(browser, service):
    page = browser.open("recipient:layla", place="#/me/settings")
    keys = Keys(page)
    keys.go("Promotions & Offers")
    keys.press("Space")
    keys.told("Undo")
    check(keys.focused()["name"] == "Promotions & Offers", "the switch lost the focus")
    keys.act("Undo")
    page.wait_for_selector("label:has-text('Promotions') >> nth=0")
    keys.told("Saved")
    check(keys.focused()["name"] == "Promotions & Offers", "the switch has no focus again")
    browser.close(page)
    page = browser.open("support", place="#/p/omar/settings")
    keys = Keys(page)
    keys.act("All settings")
    page.wait_for_selector("text=Channels by category")
    keys.settle()
    keys.go("Quiet hours", "input")
    keys.press("Space")
    page.wait_for_selector("aside >> text=Apply")
    keys.go("Apply", "button")
    keys.go("Discard", "button")
    keys.press("Enter")
    page.wait_for_selector("aside >> text=Change a setting")
    keys.focused()
    keys.go("Preset")
    keys.press("ArrowUp", "Tab")
    check(keys.focused()["name"] == "Apply", "a preset is applied by passing it")
    browser.close(page)


def the_service_is_run_by_keys(browser, service):
    page = browser.open("admin", place="#/")
    said = []
    keys = Keys(page)
    page.once("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
    keys.act("Pause")
    check(said and keys.focused()["name"] == "Pause", "a dialog does not give the focus back")
    page.on("dialog", lambda dialog: dialog.accept())
    keys.press("Enter")
    page.wait_for_selector(".chip >> text=paused")
    keys.act("Resume")
    page.wait_for_function("() => !document.querySelector('main').innerText.includes('paused')")
    check(keys.focused()["name"] == "Pause", "the focus is elsewhere")
    keys.act("log", "a")
    page.wait_for_selector("h1 >> text=log")
    keys.settle()
    for deed, done in (("Pause", "is paused"), ("Resume", "is resumed")):
        keys.act(deed)
        keys.told(done)
    keys.act("Send a test")
    page.wait_for_selector(".notice >> text=delivered")
    check(keys.focused()["name"] == "Send a test", "the focus is elsewhere")
    keys.act("Service", "a")
    keys.act("Check configuration")
    keys.told("The configuration is valid")
    keys.act("Reload configuration")
    keys.told("Configuration reloaded")
    with page.expect_download():
        keys.act("Download backup")
    keys.focused()
    browser.close(page)


def access_and_dead_letters_work_by_keys(browser, service):
    service.token("recipient:kim")
    service.tell("erin", "notification.requested", {
        "category": "INVOICES", "title": "By keys", "body": "Of nobody"})
    page = browser.open("admin", place="#/access")
    page.on("dialog", lambda dialog: dialog.accept())
    keys = Keys(page)
    keys.act("Revoke: test")
    keys.told("is revoked")
    while not service.ask("GET", "/v1/status")["deadLetters"]:
        page.wait_for_timeout(20)
    keys.act("Dead letters", "a")
    page.wait_for_selector("td input")
    keys.settle()
    keys.go("Group by", "select")
    keys.press("ArrowDown")
    keys.settle()
    check(keys.focused()["kind"] == "select", "the focus is elsewhere")
    keys.act("Select all", key="Space")
    page.wait_for_selector("button >> text=/^Discard/")
    keys.act("Discard", "button")
    keys.told("Discarded")
    page.wait_for_selector("main .empty")
    keys.settle()
    browser.close(page)


def a_catalog_is_tried_by_keys(browser, service):
    page = browser.open("support", place="#/catalogs/imanpath")
    page.wait_for_selector(".strip")
    keys = Keys(page)
    keys.go("Catalog text")
    keys.press("Control+End")
    page.keyboard.type("\nremainders: {}\n")
    page.wait_for_selector("text=remainders >> nth=0")
    keys.act("Line ")
    check(keys.focused()["name"] == "Catalog text", "the line is not reached")
    keys.act("Discard")
    keys.act("Add event")
    page.wait_for_function("() => document.querySelectorAll('.close').length === 2")
    keys.go("Remove", key="Shift+Tab")
    keys.press("Enter")
    page.wait_for_function("() => document.querySelectorAll('main .close').length === 1")
    check(keys.focused()["name"] == "Remove", "the focus is elsewhere")
    browser.close(page)


__all__ = [
    "a_catalog_is_tried_by_keys", "a_person_is_helped_by_keys",
    "access_and_dead_letters_work_by_keys", "signing_in_and_out_works_by_keys",
    "settings_are_changed_by_keys", "the_service_is_run_by_keys"]
