"""Tasks with a person's notifications: search, texts and updates."""

import json

from browser import check

CATEGORY = "ACHIEVEMENTS"


def category_title(service, person):
    schema = service.ask("GET", "/v1/recipients/%s/preferences/schema?language=en" % person)
    return schema["properties"]["categories"]["properties"][CATEGORY]["title"]


def request_notification(service, person, title):
    service.report(person, "notification.requested", {
        "category": CATEGORY, "title": title, "body": "To be read"})


def history(page):
    return page.get_by_label("History", exact=True)


def simulate_history(page, item_counts):
    """Divides the history that the browser receives into pages with these numbers of items. Each
    page has the first items of the real history. Its cursor is its index."""
    def answer(route):
        if "part=all" not in route.request.url:
            return route.continue_()
        url, *cursor = route.request.url.split("&after=")
        document = route.fetch(url=url).json()
        index = int(cursor[0]) if cursor else 0
        items = document["notifications"][:item_counts[index]]
        next_cursor = str(index + 1) if index + 1 < len(item_counts) else None
        return route.fulfill(content_type="application/json", body=json.dumps({
            **document, "notifications": items, "next": next_cursor}))
    page.route("**/v1/recipients/*/notifications?*", answer)


def a_search_continues_over_empty_pages(browser, service):
    request_notification(service, "rana", "To be found")
    page = browser.open("recipient:rana")
    simulate_history(page, [0, 0, 1, 0])
    browser.go(page, "#/me/notifications")
    section = history(page)
    section.get_by_text("No matches so far").wait_for()
    more = section.get_by_role("button", name="Show more")
    with page.expect_response("**/notifications?*after=1*"):
        more.click()
    page.evaluate("() => fetch('/').then(answer => answer.text())")
    section.get_by_text("No matches so far").wait_for()
    more.click()
    section.get_by_text("To be found").wait_for()
    check(section.get_by_text("No matches so far").count() == 0,
          "the page shows a match and says that there is none")
    more.click()
    more.wait_for(state="detached")
    check(section.get_by_text("To be found").count() == 1, "the match is gone after the last page")
    browser.close(page)


def the_history_has_days_of_the_persons_zone(browser, service):
    """At any time, at least one of these zones has a date other than that in UTC."""
    for person, zone in (("kiri", "Pacific/Kiritimati"), ("pago", "Pacific/Pago_Pago")):
        service.report(person, "recipient.updated", {"timezone": zone})
        request_notification(service, person, "Of today")
        path = "/v1/recipients/%s/notifications?part=all&outcome=any" % person
        day = service.ask("GET", path)["notifications"][0]["local"][:10]
        page = browser.open("support", address="#/p/%s/notifications" % person)
        section = history(page)
        section.get_by_text("Of today").wait_for()
        for name in ("From", "To"):
            section.get_by_label(name, exact=True).fill(day)
        section.get_by_text("Of today").wait_for()
        section.get_by_label("To", exact=True).fill("2000-01-01")
        section.get_by_text("Nothing found").wait_for()
        section.get_by_label("To", exact=True).fill("")
        section.get_by_text("Of today").wait_for()
        section.get_by_label("From", exact=True).fill("2999-01-01")
        section.get_by_text("Nothing found").wait_for()
        browser.close(page)


def clearing_all_needs_a_confirmation_and_can_be_undone(browser, service):
    for title in ("One", "Two"):
        request_notification(service, "uma", title)
    page = browser.open("recipient:uma", address="#/me/notifications")
    recent = page.get_by_label("Recent", exact=True)
    recent.get_by_text("Two").wait_for()
    page.once("dialog", lambda dialog: dialog.dismiss())
    recent.get_by_role("button", name="Clear All").click()
    check(recent.get_by_text("Two").is_visible(), "the list is cleared without a confirmation")
    page.on("dialog", lambda dialog: dialog.accept())
    recent.get_by_role("button", name="Clear All").click()
    recent.get_by_text("Two").wait_for(state="detached")
    page.click("#toast >> text=Undo")
    recent.get_by_text("Two").wait_for()
    path = "/v1/recipients/uma/notifications"
    check(len(service.ask("GET", path)["notifications"]) == 2, "clearing the list is not undone")
    recent.get_by_role("button", name="Clear All").click()
    with page.expect_response(lambda answer: answer.request.method == "DELETE"):
        page.click("#toast .close")
    page.wait_for_selector("text=Nothing recent")
    check(service.ask("GET", path)["notifications"] == [], "the list is not cleared")
    browser.close(page)


def the_history_is_updated(browser, service):
    request_notification(service, "selma", "Then")
    page = browser.open("recipient:selma", address="#/me/notifications")
    history(page).get_by_text("Then").wait_for()
    request_notification(service, "selma", "Just now")
    history(page).get_by_text("Just now").wait_for()
    browser.close(page)


def categories_have_their_titles(browser, service):
    request_notification(service, "tara", "With a category")
    title = category_title(service, "tara")
    page = browser.open("recipient:tara", address="#/me/notifications")
    for name in ("Recent", "Inbox", "History"):
        text = page.get_by_label(name, exact=True).locator("small").first.inner_text()
        check(title in text and CATEGORY not in text, "%s shows %s" % (name, text))
    browser.go(page, "#/me/days")
    text = page.inner_text("main")
    check("Times are in" in text or "Your time zone" in text, "the time zone is not explained")
    browser.close(page)


def texts_hidden_again_can_be_requested(browser, service):
    """Simulates a restart of the service, after which texts have to be requested again."""
    request_notification(service, "vera", "Hidden")
    page = browser.open("support", address="#/p/vera/notifications")
    page.click("text=Show texts")
    page.wait_for_selector(".text >> text=To be read >> nth=0")
    check(page.get_by_role("button", name="Show texts").count() == 0, "the button is still there")

    def answer_without_texts(route):
        document = route.fetch().json()
        for notification in document["notifications"]:
            notification["body"] = ""
        route.fulfill(content_type="application/json", body=json.dumps(document))
    page.route("**/v1/recipients/*/notifications?*", answer_without_texts)
    browser.go(page, "#/p/vera/days")
    browser.go(page, "#/p/vera/notifications")
    page.get_by_role("button", name="Show texts").wait_for()
    browser.close(page)


__all__ = [
    "a_search_continues_over_empty_pages", "categories_have_their_titles",
    "clearing_all_needs_a_confirmation_and_can_be_undone",
    "texts_hidden_again_can_be_requested", "the_history_is_updated",
    "the_history_has_days_of_the_persons_zone"]
