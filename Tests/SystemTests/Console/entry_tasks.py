"""Signing in and opening pages: the console explains a failure, and offers what to do next."""

import re

from browser import TIMEOUT, check, follow


def an_invalid_token_is_reported(browser, service):
    context = browser.browser.new_context()
    page = context.new_page()
    page.set_default_timeout(TIMEOUT)
    faults = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(service.origin + "/console/")
    for token in ("chimed_unknown", "رمز"):
        page.get_by_label("Or paste a token").fill(token)
        page.keyboard.press("Enter")
        page.wait_for_selector("[role=alert] >> text=/not valid/")
        page.reload()
        page.wait_for_selector("form")
        check(page.locator("[role=alert]").count() == 0, "the invalid token is kept")
    page.get_by_label("Or paste a token").fill(service.token("admin"))
    page.keyboard.press("Enter")
    page.wait_for_selector("#top nav a")
    check(faults == [], "faults: %s" % faults)
    context.close()


def an_invalid_ticket_ends_no_session(browser, service):
    page = browser.open("support", address="#/people")
    for ticket in ("unknown", "%zz"):
        follow(page, "#t=%s/people" % ticket, "#toast:not(:empty)")
        page.wait_for_selector("h1 >> text=People")
        check("t=" not in page.url, "the address has the ticket: %s" % page.url)
        page.click("#toast .close")
    browser.close(page)


def an_invalid_address_is_shown_unchanged(browser, service):
    page = browser.open("support", address="#/people")
    follow(page, "#/p/50%/days", "h1 >> text=50%")
    browser.close(page)


def an_address_without_a_page_opens_the_overview(browser, service):
    """The first two names are members of every JavaScript object, but not names of pages."""
    page = browser.open("support", address="#/people")
    for name in ("constructor", "toString", "none"):
        follow(page, "#/" + name, ".tiles")
        check(page.url.endswith("#/"), "the address is %s" % page.url)
        browser.go(page, "#/people")
    browser.close(page)


def stored_data_of_people_is_removed_at_sign_out(browser, service):
    page = browser.open("support", address="#/p/layla/settings")
    page.evaluate("() => sessionStorage.setItem('chimed.draft own layla', '[]')")
    page.click("text=Sign out")
    page.wait_for_selector("text=chimectl console")
    keys = page.evaluate("() => Object.keys(sessionStorage)")
    check(not [key for key in keys if "layla" in key or "opened" in key],
          "the storage still has %s" % keys)
    page.context.close()


def a_module_that_fails_to_load_can_be_loaded_again(browser, service):
    """Three files fail to load, one after another: the texts of reasons, and two pages."""
    page = browser.open("support", address="#/p/layla/notifications")
    words = re.compile("/console/words-why-en.js$")
    page.route(words, lambda route: route.abort())
    page.locator(".whys summary").first.click()
    page.wait_for_selector(".why [role=alert] >> text=Try again")
    page.unroute(words)
    page.wait_for_selector(".explanation")
    for name, address, selector in (("log.js", "#/log", "h1 >> text=Log"),
                                  ("facts.js", "#/p/layla/facts", "text=phone-1")):
        file = re.compile("/console/%s$" % name)
        page.route(file, lambda route: route.abort())
        follow(page, address, "main [role=alert] >> text=Try again")
        page.unroute(file)
        page.wait_for_selector("main >> %s >> nth=0" % selector)
    browser.close(page)


__all__ = [
    "a_module_that_fails_to_load_can_be_loaded_again",
    "an_address_without_a_page_opens_the_overview",
    "an_invalid_ticket_ends_no_session", "an_invalid_token_is_reported",
    "an_invalid_address_is_shown_unchanged", "stored_data_of_people_is_removed_at_sign_out"]
