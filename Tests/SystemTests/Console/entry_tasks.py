"""Signing in and opening pages: a failure is explained and leaves a way forward."""

import re

from browser import PATIENCE, check, follow


def an_invalid_token_is_reported(browser, service):
    context = browser.browser.new_context()
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    faults = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(service.origin + "/console/")
    for token in ("chimed_of_nobody", "رمز"):
        page.get_by_label("Or paste a token").fill(token)
        page.keyboard.press("Enter")
        page.wait_for_selector("[role=alert] >> text=/not valid/")
        page.reload()
        page.wait_for_selector("form")
        check(page.locator("[role=alert]").count() == 0, "the token is kept")
    page.get_by_label("Or paste a token").fill(service.token("admin"))
    page.keyboard.press("Enter")
    page.wait_for_selector("#top nav a")
    check(faults == [], "faults: %s" % faults)
    context.close()


def an_invalid_ticket_ends_no_session(browser, service):
    page = browser.open("support", place="#/people")
    for ticket in ("nobodys", "%zz"):
        follow(page, "#t=%s/people" % ticket, "#toast:not(:empty)")
        page.wait_for_selector("h1 >> text=People")
        check("t=" not in page.url, "the address has the ticket: %s" % page.url)
        page.click("#toast .close")
    browser.close(page)


def an_invalid_address_is_shown_unchanged(browser, service):
    page = browser.open("support", place="#/people")
    follow(page, "#/p/50%/days", "h1 >> text=50%")
    browser.close(page)


def an_address_without_a_page_opens_the_first(browser, service):
    """The first two names are members of every JavaScript object."""
    page = browser.open("support", place="#/people")
    for name in ("constructor", "toString", "none"):
        follow(page, "#/" + name, ".tiles")
        check(page.url.endswith("#/"), "the address is %s" % page.url)
        browser.go(page, "#/people")
    browser.close(page)


def stored_data_of_people_is_removed_at_sign_out(browser, service):
    page = browser.open("support", place="#/p/layla/settings")
    page.evaluate("() => sessionStorage.setItem('chimed.draft own layla', '[]')")
    page.click("text=Sign out")
    page.wait_for_selector("text=chimectl console")
    kept = page.evaluate("() => Object.keys(sessionStorage)")
    check(not [key for key in kept if "layla" in key or "opened" in key], "kept is %s" % kept)
    page.context.close()


def a_part_that_fails_to_load_is_retried(browser, service):
    """The texts of the reasons, a page, and a part of a page fail to load in turn."""
    page = browser.open("support", place="#/p/layla/notifications")
    words = re.compile("/console/words-why-en.js$")
    page.route(words, lambda route: route.abort())
    page.locator(".whys summary").first.click()
    page.wait_for_selector(".why [role=alert] >> text=Try again")
    page.unroute(words)
    page.wait_for_selector(".explanation")
    for name, place, sign in (("log.js", "#/log", "h1 >> text=Log"),
                              ("facts.js", "#/p/layla/facts", "text=phone-1")):
        file = re.compile("/console/%s$" % name)
        page.route(file, lambda route: route.abort())
        follow(page, place, "main [role=alert] >> text=Try again")
        page.unroute(file)
        page.wait_for_selector("main >> %s >> nth=0" % sign)
    browser.close(page)


__all__ = [
    "a_part_that_fails_to_load_is_retried", "an_address_without_a_page_opens_the_first",
    "an_invalid_ticket_ends_no_session", "an_invalid_token_is_reported",
    "an_invalid_address_is_shown_unchanged", "stored_data_of_people_is_removed_at_sign_out"]
