"""How one gets in, and to a page: what does not work out says so and leaves a way on."""

import re

from browser import PATIENCE, check, follow


def a_token_that_does_not_hold_is_said(browser, service):
    context = browser.browser.new_context()
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    faults = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(service.origin + "/console/")
    for token in ("chimed_of_nobody", "رمز"):
        page.get_by_label("Or paste a token").fill(token)
        page.keyboard.press("Enter")
        page.wait_for_selector("[role=alert] >> text=/does not hold/")
        page.reload()
        page.wait_for_selector("form")
        check(page.locator("[role=alert]").count() == 0, "it is kept")
    page.get_by_label("Or paste a token").fill(service.token("admin"))
    page.keyboard.press("Enter")
    page.wait_for_selector("#top nav a")
    check(faults == [], "faults: %s" % faults)
    context.close()


def a_ticket_that_does_not_hold_takes_nobody_out(browser, service):
    page = browser.open("support", place="#/people")
    for ticket in ("nobodys", "%zz"):
        follow(page, "#t=%s/people" % ticket, "#toast:not(:empty)")
        page.wait_for_selector("h1 >> text=People")
        check("t=" not in page.url, "the ticket stands in %s" % page.url)
        page.click("#toast .close")
    browser.close(page)


def an_address_that_is_none_is_shown_as_it_is(browser, service):
    page = browser.open("support", place="#/people")
    follow(page, "#/p/50%/days", "h1 >> text=50%")
    browser.close(page)


def what_was_kept_of_people_goes_with_who_leaves(browser, service):
    page = browser.open("support", place="#/p/layla/settings")
    page.evaluate("() => sessionStorage.setItem('chimed.draft own layla', '[]')")
    page.click("text=Sign out")
    page.wait_for_selector("text=chimectl console")
    kept = page.evaluate("() => Object.keys(sessionStorage)")
    check(not [key for key in kept if "layla" in key or "opened" in key], "kept is %s" % kept)
    page.context.close()


def a_part_of_the_program_that_is_out_of_reach_is_tried_again(browser, service):
    """The words of why, a page, and a part of one."""
    page = browser.open("support", place="#/p/layla/told")
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
    "a_part_of_the_program_that_is_out_of_reach_is_tried_again",
    "a_ticket_that_does_not_hold_takes_nobody_out", "a_token_that_does_not_hold_is_said",
    "an_address_that_is_none_is_shown_as_it_is", "what_was_kept_of_people_goes_with_who_leaves"]
