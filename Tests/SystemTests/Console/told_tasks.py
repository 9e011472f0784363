"""A person's history: search, texts and updates."""

import json

from browser import check

CATEGORY = "ACHIEVEMENTS"


def titled(service, person):
    schema = service.ask("GET", "/v1/recipients/%s/preferences/schema?language=en" % person)
    return schema["properties"]["categories"]["properties"][CATEGORY]["title"]


def request(service, person, title):
    service.tell(person, "notification.requested", {
        "category": CATEGORY, "title": title, "body": "To be read"})


def history(page):
    return page.get_by_label("History", exact=True)


def answered(page, pages):
    """Simulates a large store, whose pages of the history have the given numbers of items."""
    def answer(route):
        if "part=all" not in route.request.url:
            return route.continue_()
        first, *after = route.request.url.split("&after=")
        whole = route.fetch(url=first).json()
        after = int(after[0]) if after else 0
        count = pages[after]
        rest = str(after + 1) if after + 1 < len(pages) else None
        return route.fulfill(content_type="application/json", body=json.dumps({
            **whole, "notifications": whole["notifications"][:count], "next": rest}))
    page.route("**/v1/recipients/*/notifications?*", answer)


def a_search_continues_over_empty_pages(browser, service):
    request(service, "rana", "To be found")
    page = browser.open("recipient:rana")
    answered(page, [0, 0, 1, 0])
    browser.go(page, "#/me/notifications")
    past = history(page)
    past.get_by_text("No matches so far").wait_for()
    more = past.get_by_role("button", name="Show more")
    with page.expect_response("**/notifications?*after=1*"):
        more.click()
    page.evaluate("() => fetch('/').then(answer => answer.text())")
    past.get_by_text("No matches so far").wait_for()
    more.click()
    past.get_by_text("To be found").wait_for()
    check(past.get_by_text("No matches so far").count() == 0, "no match is reported beside a match")
    more.click()
    more.wait_for(state="detached")
    check(past.get_by_text("To be found").count() == 1, "the found item is gone")
    browser.close(page)


def the_history_has_days_of_the_persons_zone(browser, service):
    """At any time, the date in one of these zones differs from the date in UTC."""
    for person, zone in (("kiri", "Pacific/Kiritimati"), ("pago", "Pacific/Pago_Pago")):
        service.tell(person, "recipient.updated", {"timezone": zone})
        request(service, person, "Of its day")
        path = "/v1/recipients/%s/notifications?part=all&outcome=any" % person
        day = service.ask("GET", path)["notifications"][0]["local"][:10]
        page = browser.open("support", place="#/p/%s/notifications" % person)
        past = history(page)
        past.get_by_text("Of its day").wait_for()
        for name in ("From", "To"):
            past.get_by_label(name, exact=True).fill(day)
        past.get_by_text("Of its day").wait_for()
        past.get_by_label("To", exact=True).fill("2000-01-01")
        past.get_by_text("Nothing found").wait_for()
        past.get_by_label("To", exact=True).fill("")
        past.get_by_text("Of its day").wait_for()
        past.get_by_label("From", exact=True).fill("2999-01-01")
        past.get_by_text("Nothing found").wait_for()
        browser.close(page)


def clearing_all_is_asked_and_can_be_undone(browser, service):
    for title in ("One", "Two"):
        request(service, "uma", title)
    page = browser.open("recipient:uma", place="#/me/notifications")
    recent = page.get_by_label("Recent", exact=True)
    recent.get_by_text("Two").wait_for()
    page.once("dialog", lambda dialog: dialog.dismiss())
    recent.get_by_role("button", name="Clear All").click()
    check(recent.get_by_text("Two").is_visible(), "it is cleared without a consent")
    page.on("dialog", lambda dialog: dialog.accept())
    recent.get_by_role("button", name="Clear All").click()
    recent.get_by_text("Two").wait_for(state="detached")
    page.click("#toast >> text=Undo")
    recent.get_by_text("Two").wait_for()
    path = "/v1/recipients/uma/notifications"
    check(len(service.ask("GET", path)["notifications"]) == 2, "it is not undone")
    recent.get_by_role("button", name="Clear All").click()
    with page.expect_response(lambda answer: answer.request.method == "DELETE"):
        page.click("#toast .close")
    page.wait_for_selector("text=Nothing recent")
    check(service.ask("GET", path)["notifications"] == [], "it is not cleared")
    browser.close(page)


def the_history_is_updated(browser, service):
    request(service, "selma", "Then")
    page = browser.open("recipient:selma", place="#/me/notifications")
    history(page).get_by_text("Then").wait_for()
    request(service, "selma", "Just now")
    history(page).get_by_text("Just now").wait_for()
    browser.close(page)


def categories_have_their_titles(browser, service):
    request(service, "tara", "Of a kind")
    title = titled(service, "tara")
    page = browser.open("recipient:tara", place="#/me/notifications")
    for part in ("Recent", "Inbox", "History"):
        text = page.get_by_label(part, exact=True).locator("small").first.inner_text()
        check(title in text and CATEGORY not in text, "%s says %s" % (part, text))
    browser.go(page, "#/me/days")
    text = page.inner_text("main")
    check("Times are in" in text or "Your time zone" in text, "the viewer is not addressed")
    browser.close(page)


def texts_hidden_again_can_be_requested(browser, service):
    """The texts are hidden as after a restart, which resets access to texts."""
    request(service, "vera", "Hidden")
    page = browser.open("support", place="#/p/vera/notifications")
    page.click("text=Show texts")
    page.wait_for_selector(".text >> text=To be read >> nth=0")
    check(page.get_by_role("button", name="Show texts").count() == 0, "the button is still there")

    def hide(route):
        whole = route.fetch().json()
        for one in whole["notifications"]:
            one["body"] = ""
        route.fulfill(content_type="application/json", body=json.dumps(whole))
    page.route("**/v1/recipients/*/notifications?*", hide)
    browser.go(page, "#/p/vera/days")
    browser.go(page, "#/p/vera/notifications")
    page.get_by_role("button", name="Show texts").wait_for()
    browser.close(page)


__all__ = [
    "a_search_continues_over_empty_pages", "categories_have_their_titles",
    "clearing_all_is_asked_and_can_be_undone",
    "texts_hidden_again_can_be_requested", "the_history_is_updated",
    "the_history_has_days_of_the_persons_zone"]
