"""Tasks of the console by keyboard alone: every control can be reached, the focus is visible, and
no action moves the focus to the start of the page."""

import json

from browser import TIMEOUT, Fault, check

# The maximum number of key presses until an element is reached; no page has so many controls.
KEYS_MAX = 300
# Returns the name and the kind of the focused element, and whether its focus is visible. Returns
# null if no element has the focus.
FOCUSED = """() => {
  const element = document.activeElement;
  if (!element || element === document.body) return null;
  const visible = element.matches('.chips input') ? element.nextElementSibling : element;
  const style = getComputedStyle(visible);
  const name = element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent
    ?? element.textContent;
  return {
    name: name.trim(), kind: element.nodeName.toLowerCase(),
    isShown: element.id === 'main'
      || style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 1,
  };
}"""


class Keyboard:
    """The keyboard of a person without a pointer."""

    def __init__(self, page):
        self.page = page

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def focused(self):
        """Returns the focused element, and checks that its focus is visible."""
        element = self.page.evaluate(FOCUSED)
        check(element, "the focus is lost")
        check(element["isShown"], "the focus of %s is invisible" % element)
        return element

    def go(self, name, kind=None, key="Tab"):
        """Presses a key repeatedly until an element whose name begins with `name` has the focus."""
        names = []
        for _ in range(KEYS_MAX):
            element = self.page.evaluate(FOCUSED)
            if element:
                check(element["isShown"], "the focus of %s is invisible" % element)
                names.append(element["name"][:40])
                if element["name"].startswith(name) and kind in (None, element["kind"]):
                    return
            self.press(key)
        raise Fault("%s does not get the focus; the focused elements were %s" % (name, names))

    def act(self, name, kind=None, key="Enter"):
        """Moves the focus to an element, and presses a key there."""
        self.go(name, kind)
        self.press(key)

    def wait_for_toast(self, text):
        self.page.wait_for_selector("#toast >> text=%s" % text)
        self.wait_until_loaded()

    def wait_until_loaded(self):
        """Waits until the page is loaded, and checks its focus."""
        self.page.wait_for_function("() => !document.querySelector('main [aria-busy]')")
        self.focused()


def signing_in_and_out_works_by_keyboard(browser, service):
    context = browser.browser.new_context()
    page = context.new_page()
    page.set_default_timeout(TIMEOUT)
    page.goto(service.origin + "/console/")
    page.wait_for_selector("form")
    keyboard = Keyboard(page)
    keyboard.go("Or paste a token")
    page.keyboard.type(service.token("admin"))
    keyboard.press("Enter")
    page.wait_for_selector("#top nav a")
    keyboard.wait_until_loaded()
    keyboard.go("Language")
    keyboard.press("ArrowDown")
    page.wait_for_selector("html[dir=rtl]")
    check(keyboard.focused()["kind"] == "select", "choosing a language loses the focus")
    keyboard.press("ArrowUp")
    page.wait_for_selector("html[dir=ltr]")
    for name in ("People", "Feed", "Dead letters", "Log", "Catalogs", "Access", "Service"):
        keyboard.act(name, "a")
        page.wait_for_selector("h1 >> text=%s" % name)
        keyboard.wait_until_loaded()
    keyboard.act("Sign out")
    page.wait_for_selector("text=chimectl console")
    keyboard.focused()
    context.close()


def a_person_is_helped_by_keyboard(browser, service):
    service.report("kim", "streak.started", {})
    for text in ("First", "Second"):
        service.report("kim", "notification.requested", {
            "category": "ACHIEVEMENTS", "title": text, "body": "By keyboard"})
    page = browser.open("support", address="#/")
    keyboard = Keyboard(page)
    keyboard.press("/")
    page.wait_for_selector("#jump:focus")
    page.keyboard.type("kim")
    keyboard.press("Enter")
    page.wait_for_selector(".item")
    keyboard.wait_until_loaded()
    open_the_first_row(page, keyboard)
    keyboard.act("All checks", "summary")
    page.wait_for_selector(".whys[open] .gates li")
    keyboard.go("Snooze ", "select", "Shift+Tab")
    keyboard.press("ArrowDown", "ArrowDown", "Tab", "Enter")
    keyboard.wait_for_toast("Snoozed")
    check(keyboard.focused()["kind"] == "summary", "the focus is elsewhere")
    before = page.locator(".item").count()
    open_the_first_row(page, keyboard)
    keyboard.act("Cancel", "button")
    keyboard.wait_for_toast("Cancelled")
    page.wait_for_function(
        "before => document.querySelectorAll('.item').length < before", arg=before)
    keyboard.wait_until_loaded()
    a_cancelled_reminder_is_resumed(page, keyboard, before)
    a_series_is_cancelled(page, keyboard, service)
    keyboard.act("Show texts")
    page.wait_for_function("() => !document.querySelector('.head button')")
    keyboard.wait_until_loaded()
    keyboard.act("Notifications", "a")
    page.wait_for_selector("text=By keyboard >> nth=0")
    keyboard.wait_until_loaded()
    use_the_history(page, keyboard)
    keyboard.act("Profile", "a")
    page.wait_for_selector("h2 >> text=Events")
    keyboard.wait_until_loaded()
    with page.expect_download() as download:
        keyboard.act("Export all data")
    with open(download.value.path()) as copy:
        data = json.load(copy)
    check(data["recipient"] == "kim" and "By keyboard" in json.dumps(data),
          "the export is incomplete")
    keyboard.focused()
    browser.close(page)


def open_the_first_row(page, keyboard):
    """Opens the first row of a notification that will be sent. A closed row is one tab stop."""
    page.locator(".item summary:has(.goes)").first.focus()
    keyboard.press("Enter")
    page.wait_for_selector("[open] .explanation")


def a_cancelled_reminder_is_resumed(page, keyboard, before):
    page.locator(".cancelled").wait_for()
    keyboard.act("Resume: ", "button")
    keyboard.wait_for_toast("Resumed")
    page.wait_for_function(
        "before => document.querySelectorAll('.item').length === before", arg=before)
    check(page.locator(".cancelled").count() == 0, "the reminder is still cancelled")
    keyboard.wait_until_loaded()


def a_series_is_cancelled(page, keyboard, service):
    """Checks that the series has no occurrence any more, and that all other reminders still have
    occurrences."""
    path = "/v1/recipients/kim/scheduled"
    before = service.ask("GET", path + "?limit=1000")["scheduled"]
    open_the_first_row(page, keyboard)
    with page.expect_response(lambda answer: "series=true" in answer.url) as cancelling:
        keyboard.act("Cancel series", "button")
    check(cancelling.value.ok, "the request is answered %d" % cancelling.value.status)
    keyboard.wait_for_toast("Cancelled")
    after = service.ask("GET", path + "?limit=1000")["scheduled"]
    cancelled = {item["reminder"] for item in before} - {item["reminder"] for item in after}
    check(len(cancelled) == 1, "cancelling one series has cancelled %s" % cancelled)


def use_the_history(page, keyboard):
    keyboard.act("Dismiss")
    keyboard.wait_for_toast("Dismissed: 1")
    check(keyboard.focused()["name"].startswith("Dismiss"), "the next item does not get the focus")
    keyboard.press("Enter")
    page.wait_for_selector("text=Nothing recent")
    keyboard.wait_until_loaded()
    keyboard.go("Outcome")
    keyboard.press("ArrowDown")
    keyboard.wait_until_loaded()
    keyboard.go("Search")
    page.keyboard.type("Second")
    keyboard.press("Enter")
    page.wait_for_function("() => document.querySelectorAll('main .item').length <= 1")
    keyboard.wait_until_loaded()


def settings_are_changed_by_keyboard(browser, service):
    page = browser.open("recipient:layla", address="#/me/settings")
    keyboard = Keyboard(page)
    keyboard.go("Promotions & Offers")
    keyboard.press("Space")
    keyboard.wait_for_toast("Undo")
    check(keyboard.focused()["name"] == "Promotions & Offers", "the switch lost the focus")
    keyboard.act("Undo")
    page.wait_for_selector("label:has-text('Promotions') >> nth=0")
    keyboard.wait_for_toast("Saved")
    check(keyboard.focused()["name"] == "Promotions & Offers",
          "the switch does not get the focus back")
    browser.close(page)
    page = browser.open("support", address="#/p/omar/settings")
    keyboard = Keyboard(page)
    keyboard.act("All settings")
    page.wait_for_selector("text=Channels by category")
    keyboard.wait_until_loaded()
    keyboard.go("Quiet hours", "input")
    keyboard.press("Space")
    page.wait_for_selector("aside >> text=Apply")
    keyboard.go("Apply", "button")
    keyboard.go("Discard", "button")
    keyboard.press("Enter")
    page.wait_for_selector("aside >> text=Change a setting")
    keyboard.focused()
    keyboard.go("Preset")
    keyboard.press("ArrowUp", "Tab")
    check(keyboard.focused()["name"] == "Apply", "choosing a preset applies it at once")
    browser.close(page)


def the_service_is_run_by_keyboard(browser, service):
    page = browser.open("admin", address="#/")
    confirmations = []
    keyboard = Keyboard(page)
    page.once("dialog", lambda dialog: (confirmations.append(dialog.message), dialog.dismiss()))
    keyboard.act("Pause")
    check(confirmations, "the sink is paused without a confirmation")
    check(keyboard.focused()["name"] == "Pause", "a dismissed dialog does not give the focus back")
    page.on("dialog", lambda dialog: dialog.accept())
    keyboard.press("Enter")
    page.wait_for_selector(".chip >> text=paused")
    keyboard.act("Resume")
    page.wait_for_function("() => !document.querySelector('main').innerText.includes('paused')")
    check(keyboard.focused()["name"] == "Pause", "the focus is elsewhere")
    keyboard.act("log", "a")
    page.wait_for_selector("h1 >> text=log")
    keyboard.wait_until_loaded()
    for action, result in (("Pause", "is paused"), ("Resume", "is resumed")):
        keyboard.act(action)
        keyboard.wait_for_toast(result)
    keyboard.act("Send a test")
    page.wait_for_selector(".notice >> text=delivered")
    check(keyboard.focused()["name"] == "Send a test", "the focus is elsewhere")
    keyboard.act("Service", "a")
    keyboard.act("Check configuration")
    keyboard.wait_for_toast("The configuration is valid")
    keyboard.act("Reload configuration")
    keyboard.wait_for_toast("Configuration reloaded")
    with page.expect_download():
        keyboard.act("Download backup")
    keyboard.focused()
    browser.close(page)


def access_and_dead_letters_work_by_keyboard(browser, service):
    service.token("recipient:kim")
    service.report("erin", "notification.requested", {
        "category": "INVOICES", "title": "By keyboard", "body": "Not deliverable"})
    page = browser.open("admin", address="#/access")
    page.on("dialog", lambda dialog: dialog.accept())
    keyboard = Keyboard(page)
    keyboard.act("Revoke: test")
    keyboard.wait_for_toast("is revoked")
    while not service.ask("GET", "/v1/status")["deadLetters"]:
        page.wait_for_timeout(20)
    keyboard.act("Dead letters", "a")
    page.wait_for_selector("td input")
    keyboard.wait_until_loaded()
    keyboard.go("Group by", "select")
    keyboard.press("ArrowDown")
    keyboard.wait_until_loaded()
    check(keyboard.focused()["kind"] == "select", "the focus is elsewhere")
    keyboard.act("Select all", key="Space")
    page.wait_for_selector("button >> text=/^Discard/")
    keyboard.act("Discard", "button")
    keyboard.wait_for_toast("Discarded")
    page.wait_for_selector("main .empty")
    keyboard.wait_until_loaded()
    browser.close(page)


def a_catalog_is_tried_by_keyboard(browser, service):
    page = browser.open("support", address="#/catalogs/imanpath")
    page.wait_for_selector(".strip")
    keyboard = Keyboard(page)
    keyboard.go("Catalog text")
    keyboard.press("Control+End")
    page.keyboard.type("\nremainders: {}\n")
    page.wait_for_selector("text=remainders >> nth=0")
    keyboard.act("Line ")
    check(keyboard.focused()["name"] == "Catalog text", "the catalog text does not get the focus")
    keyboard.act("Discard")
    keyboard.act("Add event")
    page.wait_for_function("() => document.querySelectorAll('.close').length === 2")
    keyboard.go("Remove", key="Shift+Tab")
    keyboard.press("Enter")
    page.wait_for_function("() => document.querySelectorAll('main .close').length === 1")
    check(keyboard.focused()["name"] == "Remove", "the focus is elsewhere")
    browser.close(page)


__all__ = [
    "a_catalog_is_tried_by_keyboard", "a_person_is_helped_by_keyboard",
    "access_and_dead_letters_work_by_keyboard", "signing_in_and_out_works_by_keyboard",
    "settings_are_changed_by_keyboard", "the_service_is_run_by_keyboard"]
