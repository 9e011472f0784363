"""Tests of the pages by which a person answers a notification (rule H28), in a browser.

Usage: action_pages_test.py CHIMED CATALOGS DIRECTORY
"""

import json
import signal
import sys
import time

from playwright.sync_api import sync_playwright

from browser import Axe, CHROMIUM, PROFILES, TIMEOUT, ConsoleService, Service, check

PUBLIC_URL = "https://notify.example.org"
CONFIGURATION = """
default-zone: Europe/Berlin
public-url: %s
sinks: {lines: {type: jsonl, file: %s/deliveries}}
routes: {push: [lines], inapp: [lines]}
"""
CATALOG = """
catalog: care
events:
  dose.due: {dose: identifier}
  dose.taken: {dose: identifier, from: recipient}
  dose.undone: {dose: identifier, from: recipient}
categories:
  DOSE: {title: Doses, channels: {push: true}}
groups:
  doses: {enabled: true}
reminders:
  dose:
    category: DOSE
    group: doses
    on: {event: dose.due, delay: 1s}
    expires: 2h
    actions:
      taken:
        title: {en: Taken, de: Genommen, ar: أخذته}
        event: dose.taken
        undo: dose.undone
      later: {snooze: 30m}
      stop:
        title: {en: Stop, de: Donaudampfschifffahrtserinnerungen aus, ar: أوقف}
        set: {reminders.doses.enabled: false}
    messages: [{title: Secret medicine, body: Secret dose.}]
"""


class ActionService(ConsoleService):
    """chimed with one catalog, whose reminder has actions, and a file of deliveries."""

    def __init__(self, program, catalogs, directory):
        file, catalog = directory + "/chimed.yaml", directory + "/care.yaml"
        with open(file, "w") as configuration:
            configuration.write(CONFIGURATION % (PUBLIC_URL, directory))
        with open(catalog, "w") as text:
            text.write(CATALOG)
        self.event_count = self.delivery_count = 0
        Service.__init__(
            self, program, catalogs, directory, ["--config", file], sink=None, catalog=catalog)

    def remind(self, person, dose):
        """Causes a reminder; returns the details of its delivery."""
        self.report(person, "dose.due", {"dose": dose})
        self.delivery_count += 1
        deadline = time.monotonic() + TIMEOUT / 1_000
        while True:
            with open(self.directory + "/deliveries") as lines:
                deliveries = lines.read().split("\n")[:-1]
            if len(deliveries) >= self.delivery_count:
                return json.loads(deliveries[self.delivery_count - 1])["details"]
            check(time.monotonic() < deadline, "the reminder was not delivered")
            time.sleep(0.02)

    def address(self, link):
        """Returns the address at which this test's browser opens a link."""
        check(link.startswith(PUBLIC_URL + "/a/"), "the link is " + link)
        return link.replace(PUBLIC_URL, self.origin)

    def answers(self, person):
        """Returns the types of the events that answers have caused, the earliest first."""
        events = self.ask("GET", "/v1/recipients/%s/events" % person)["events"]
        reported = ("recipient.updated", "dose.due", "notification.opened")
        types = [event["type"] for event in events if event["type"] not in reported]
        return types[::-1]


class Pages:
    """Opens the pages of links, with or without scripts, and checks each of them."""

    def __init__(self, browser, profile, scripts=True):
        # Only a browser with scripts runs axe.
        self.scripts = scripts
        self.context = browser.new_context(**PROFILES[profile], java_script_enabled=scripts)
        self.page = self.context.new_page()
        self.page.set_default_timeout(TIMEOUT)
        self.faults = []
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("console", lambda message: self.faults.append(message.text)
                     if "Security" in message.text else None)

    def open(self, address):
        self.page.goto(address)

    def press(self, title):
        """Presses a button, and waits for the page that follows."""
        with self.page.expect_navigation():
            self.page.get_by_role("button", name=title, exact=True).click()

    def buttons(self):
        return self.page.get_by_role("button").all_text_contents()

    def shows(self, heading, text, language="de"):
        """Checks the page's words, language and, with scripts, its accessibility and width."""
        page = self.page
        check(page.locator("h1").text_content() == heading,
              "the heading is not %s: %s" % (heading, page.content()))
        check(text in page.locator("main").text_content(),
              "the page does not say %s: %s" % (text, page.content()))
        check("Secret" not in page.content(), "the page has the notification's text")
        check(page.locator("html").get_attribute("lang") == language, "the language is wrong")
        if not self.scripts:
            return
        result = Axe().run(page)
        check(result.violations_count == 0, "%s: %s" % (heading, result.generate_report()))
        sizes = page.evaluate("() => [document.documentElement.scrollWidth, innerWidth]")
        check(sizes[0] <= sizes[1], "%s is %d px wide, the window %d px" % (heading, *sizes))

    def close(self):
        check(not self.faults, "the pages have faults: %s" % self.faults)
        self.context.close()


def an_answer_is_given_and_taken_back(service, pages, dose):
    """Answers by the page of one action."""
    before = service.answers("layla")
    taken = service.remind("layla", dose)["actions"][0]
    for _ in range(2):
        pages.open(service.address(taken["url"]))
        pages.shows("Genommen", "Damit beantwortest du die Erinnerung mit „Genommen“.")
        check(pages.buttons() == ["Genommen"], "the buttons are %s" % pages.buttons())
    check(service.answers("layla") == before, "opening the page has changed something")
    pages.press("Genommen")
    pages.shows("Genommen", "Deine Antwort „Genommen“ ist gespeichert.")
    check(service.answers("layla") == before + ["dose.taken"], "the answer is not recorded")
    pages.press("Rückgängig")
    pages.shows("Rückgängig", "Deine Antwort ist zurückgenommen.")
    check(pages.buttons() == [], "the buttons are %s" % pages.buttons())
    after = before + ["dose.taken", "dose.undone"]
    check(service.answers("layla") == after, "the answer is not taken back")
    pages.open(service.address(taken["url"]))
    pages.press("Genommen")
    pages.shows("Schon beantwortet", "Es wurde nichts geändert.")
    check(service.answers("layla") == after, "an answer was given twice")


def the_page_of_all_actions_offers_each(service, pages, dose):
    """Chooses a change of settings on the page of all actions, and takes it back."""
    def switch():
        preferences = service.ask("GET", "/v1/recipients/layla/preferences")
        return preferences["reminders"]["doses"]["enabled"]

    pages.open(service.address(service.remind("layla", dose)["answerUrl"]))
    pages.shows("Deine Antwort", "Wähle eine Antwort auf die Erinnerung.")
    stop = "Donaudampfschifffahrtserinnerungen aus"
    check(pages.buttons() == ["Genommen", "Später erinnern", stop],
          "the buttons are %s" % pages.buttons())
    check(switch(), "opening the page has changed the settings")
    pages.press(stop)
    pages.shows(stop, "Deine Einstellungen sind geändert: %s." % stop)
    check(not switch(), "the settings are not changed")
    pages.press("Rückgängig")
    pages.shows("Rückgängig", "Deine Antwort ist zurückgenommen.")
    check(switch(), "the settings are not restored")


def a_snooze_is_in_arabic(service, pages):
    later = service.remind("nora", "d1")["actions"][1]
    pages.open(service.address(later["url"]))
    pages.shows("ذكّرني لاحقًا", "سيصلك التذكير مرة أخرى بعد 30 دقيقة.", "ar")
    check(pages.page.locator("html").get_attribute("dir") == "rtl", "the direction is wrong")
    check(service.answers("nora") == [], "opening the page has changed something")
    pages.press("ذكّرني لاحقًا")
    pages.shows("ذكّرني لاحقًا", "سيصلك التذكير مرة أخرى: ", "ar")
    check(service.answers("nora") == ["pending.snoozed"], "nothing is snoozed")


def main(program, catalogs, directory):
    service = ActionService(program, catalogs, directory)
    try:
        for person, locale in (("layla", "de"), ("nora", "ar")):
            service.report(person, "recipient.updated", {"locale": locale})
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=CHROMIUM, args=["--no-sandbox"])
            for profile, scripts in (("phone", True), ("light", True), ("phone", False)):
                pages = Pages(browser, profile, scripts)
                dose = "%s %s" % (profile, scripts)
                an_answer_is_given_and_taken_back(service, pages, dose)
                the_page_of_all_actions_offers_each(service, pages, dose + " 2")
                pages.close()
            pages = Pages(browser, "phone")
            a_snooze_is_in_arabic(service, pages)
            pages.close()
            browser.close()
    finally:
        service.end(signal.SIGTERM)
    print("the pages of actions say, do and take back what they offer")


main(*sys.argv[1:])
