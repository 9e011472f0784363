"""Tasks of operators and of catalog authors in the console."""

import re

from browser import TIMEOUT, check


# The maximum number of minutes, by the page's clock, until a visible page repeats its requests.
MINUTES_MAX = 50
# Simulates that the page's tab is in the background.
HIDE = """() => {
  Object.defineProperty(document, 'hidden', {configurable: true, value: true});
  document.dispatchEvent(new Event('visibilitychange'));
}"""


def the_feed_is_updated_and_can_be_searched(browser, service):
    page = browser.open("support", address="#/feed")
    page.wait_for_selector(".item >> text=layla >> nth=0")
    service.report("feeding", "notification.requested", {
        "category": "ACHIEVEMENTS", "title": "Never in the feed", "body": "Nor this"})
    page.wait_for_selector(".item >> text=feeding >> nth=0")
    for words in ("Never in the feed", "Nor this", "Well done", "A week without"):
        check(words not in page.content(), "the feed shows the text %r" % words)
    page.get_by_label("Outcome").select_option("failed")
    page.wait_for_function(
        "() => { const items = [...document.querySelectorAll('.item')]; return items.length > 0 &&"
        " items.every(item => item.textContent.includes('broken')); }")
    page.get_by_label("Sink").fill("nobody")
    page.get_by_label("Sink").dispatch_event("change")
    page.wait_for_selector("main .empty")
    page.get_by_label("Sink").fill("")
    page.get_by_label("Sink").dispatch_event("change")
    page.click(".item >> text=erin >> nth=0")
    page.wait_for_selector("h1 >> text=erin")
    browser.close(page)


def requested_paths(page):
    """Returns a list to which the page's further requests add their paths, except requests for
    streams."""
    paths = []
    page.on("request", lambda request: paths.append(request.url.split("/v1/")[-1])
            if "/v1/" in request.url and "/stream" not in request.url else None)
    return paths


def accepted_events(page):
    """Returns the number of accepted events that the page shows."""
    tile = page.locator(".tile", has_text="events accepted")
    return int(re.sub(r"\D", "", tile.locator("b").inner_text()))


def wait_for_more_events(page, count):
    """Waits until the page shows more than `count` accepted events."""
    page.wait_for_function(
        "count => [...document.querySelectorAll('.tile')].some(tile => tile.textContent.includes("
        "'events accepted') && parseInt(tile.textContent.replace(/\\D/g, '')) > count)",
        arg=count)


def pages_use_the_stream_instead_of_polling(browser, service):
    page = browser.open("observer")
    with page.expect_request("**/v1/status/stream"):
        page.reload()
    page.wait_for_selector(".tile")
    page.wait_for_function("() => !document.querySelector('main [aria-busy]')")
    paths, before = requested_paths(page), accepted_events(page)
    sink = page.locator("tbody a").first
    sink.focus()
    for _ in range(2):
        service.report("omar", "streak.started", {})
        wait_for_more_events(page, before)
        before = accepted_events(page)
    check("status" not in paths, "the page polls although it has a stream: %s" % paths)
    check(sink.evaluate("link => link === document.activeElement"), "the focus is lost")
    # A hidden page has no stream and requests nothing.
    with page.expect_event("requestfailed", lambda request: request.url.endswith("/stream")):
        page.evaluate(HIDE)
    paths.clear()
    with page.expect_request("**/v1/status/stream"):
        page.evaluate(
            "() => { delete document.hidden;"
            " document.dispatchEvent(new Event('visibilitychange')); }")
    browser.close(page)


def advance_clock(page, milliseconds):
    """Advances the page's clock, then waits in real time for responses."""
    page.clock.run_for(milliseconds)
    page.evaluate("() => fetch('/').then(answer => answer.text())")


def a_hidden_page_requests_nothing(browser, service):
    """A visible page repeats its requests. A hidden page sends none."""
    for address in ("#/", "#/feed", "#/log", "#/sinks/log", "#/p/layla/days",
                  "#/p/layla/notifications"):
        context = browser.browser.new_context()
        page = context.new_page()
        page.set_default_timeout(TIMEOUT)
        page.clock.install()
        page.route(re.compile("/v1/.*/stream"), lambda route: route.abort())
        page.goto(service.sign_in_address("support"))
        page.wait_for_selector("#top nav a")
        browser.go(page, address)
        urls = []
        page.on("request", lambda request: urls.append(request.url)
                if "/v1/" in request.url else None)
        for _ in range(MINUTES_MAX):
            advance_clock(page, 60_000)
            if urls:
                break
        check(urls, "%s requests nothing while it is visible" % address)
        page.evaluate(HIDE)
        advance_clock(page, 1_000)
        page.wait_for_function("() => !document.querySelector('main [aria-busy]')")
        urls.clear()
        for _ in range(5):
            advance_clock(page, 60_000)
        check(not urls, "%s requests %s while it is hidden" % (address, urls))
        context.close()


def a_reload_loads_the_file_or_shows_its_fault(browser, service):
    file = service.directory + "/chimed.yaml"
    with open(file) as configuration:
        valid = configuration.read()
    page = browser.open("admin", address="#/service")
    try:
        with open(file, "w") as configuration:
            configuration.write(valid + "nonsense: true\n")
        page.get_by_role("button", name="Reload configuration").click()
        page.wait_for_selector("#toast >> text=nonsense")
        browser.go(page, "#/")
        page.wait_for_selector(".notice >> text=Reload rejected")
    finally:
        with open(file, "w") as configuration:
            configuration.write(valid)
    browser.go(page, "#/service")
    page.get_by_role("button", name="Reload configuration").click()
    page.wait_for_selector("#toast >> text=Configuration reloaded")
    browser.go(page, "#/")
    page.wait_for_function(
        "() => !document.querySelector('main').innerText.includes('Reload rejected')")
    browser.close(page)


def the_next_instants_are_listed_with_their_numbers(browser, service):
    # Only this zone's offset is not in whole hours, so its next instant differs from all others.
    service.report("kiran", "recipient.updated", {"timezone": "Asia/Kathmandu"})
    service.report("kiran", "streak.started", {})
    page = browser.open("observer")
    page.wait_for_selector(".tiles")
    card = page.locator("section", has=page.get_by_role("heading", name="Next", exact=True))
    due = service.ask("GET", "/v1/status")["next"]
    check(len(due) > 1, "there are too few instants: %s" % due)
    items = card.locator("li").all_inner_texts()
    check(len(items) == len(due), "%s is shown for %s" % (items, due))
    for text, entry in zip(items, due):
        at = entry["at"][:19].replace("T", " ") + " UTC"
        people = ("for at least %d" if entry.get("more") else "for %d") % entry["recipients"]
        for words in (at, entry["reminder"], people):
            check(words in text, "%r is not in %r" % (words, text))
    browser.close(page)


def without_a_stream_pages_poll(browser, service):
    context = browser.browser.new_context()
    page = context.new_page()
    page.set_default_timeout(TIMEOUT)
    page.route(re.compile("/v1/.*/stream"), lambda route: route.abort())
    page.goto(service.sign_in_address("support"))
    page.wait_for_selector(".tile")
    before = accepted_events(page)
    service.report("omar", "streak.started", {})
    wait_for_more_events(page, before)
    page.evaluate("() => { location.hash = '#/log' }")
    page.wait_for_selector(".log .entry")
    service.report("unstreamed", "notification.requested", {
        "category": "ACHIEVEMENTS", "title": "T", "body": "B"})
    page.wait_for_selector(".log .entry >> text=unstreamed >> nth=0")
    context.close()


def dead_letters_are_updated_except_during_a_choice(browser, service):
    page = browser.open("support", address="#/dead")

    def create_dead_letter(person):
        service.report(person, "recipient.updated", {"email": person + "@example.org"})
        service.report(person, "notification.requested", {
            "category": "INVOICES", "title": "Invoice", "body": "Not deliverable"})
    create_dead_letter("late-one")
    row = page.get_by_role("row", name="late-one")
    row.wait_for()
    row.get_by_role("checkbox").check()
    before = service.ask("GET", "/v1/status")["deadLetters"]
    create_dead_letter("late-two")
    while service.ask("GET", "/v1/status")["deadLetters"] == before:
        page.wait_for_timeout(20)
    check(row.get_by_role("checkbox").is_checked(), "the choice is lost")
    check(page.get_by_role("row", name="late-two").count() == 0,
          "the list was updated although a row is chosen")
    row.get_by_role("checkbox").uncheck()
    create_dead_letter("late-three")
    page.get_by_role("row", name="late-three").wait_for()
    page.get_by_role("row", name="late-two").wait_for()
    for person in ("late-one", "late-two", "late-three"):
        service.ask("DELETE", "/v1/deadletters?recipient=" + person)
    page.get_by_role("row", name="late-one").wait_for(state="detached")
    browser.close(page)


def an_outdated_trial_is_not_shown(browser, service):
    """The response to an earlier draft arrives after the response to the current one."""
    page = browser.open("support", address="#/catalogs/imanpath")
    source = page.get_by_label("Catalog text")
    text = source.input_value()
    simulations = []
    page.route("**/v1/simulate", lambda route: simulations.append(route))
    for count, title in enumerate(("The first title", "The second title"), 1):
        source.fill(text.replace("Daily Check-in", title))
        while len(simulations) < count:
            page.wait_for_timeout(20)
    simulations[1].continue_()
    page.wait_for_selector(".item >> text=The second title >> nth=0")
    with page.expect_response("**/v1/simulate"):
        simulations[0].continue_()
    page.evaluate("() => fetch('/').then(answer => answer.text())")
    check("The first title" not in page.inner_text("main"), "the outdated trial is shown")
    page.click("text=Discard")
    page.context.close()


def dead_letters_are_counted_and_resent_in_groups(browser, service):
    page = browser.open("support", address="#/dead")
    confirmations = []
    page.on("dialog", lambda dialog: (confirmations.append(dialog.message), dialog.accept()))
    page.wait_for_selector("text=2 in total")
    page.get_by_label("Group by", exact=True).select_option("recipient")
    page.get_by_role("button", name="erin", exact=True).click()
    page.wait_for_selector("text=1 in total")
    page.wait_for_function("() => document.querySelectorAll('td input').length === 2")
    page.get_by_role("button", name="Resend all 1 matching").click()
    page.wait_for_selector("#toast >> text=Resent: 1")
    check("0 have expired" in confirmations[0], "the confirmations are %s" % confirmations)
    while service.ask("GET", "/v1/status")["deadLetters"] < 2:
        page.wait_for_timeout(20)
    page.get_by_label("Person", exact=True).fill("")
    page.get_by_label("Person", exact=True).dispatch_event("change")
    page.wait_for_selector("text=2 in total")
    page.wait_for_function(
        "() => document.querySelectorAll('td input').length === 3"
        " && !document.querySelector('main [aria-busy]')")
    page.get_by_label("Select all shown").check()
    page.get_by_role("button", name="Discard 2").click()
    page.wait_for_selector("#toast >> text=Discarded: 2")
    page.wait_for_selector("main .empty")
    check(service.ask("GET", "/v1/status")["deadLetters"] == 0, "dead letters are left")
    browser.close(page)


def a_draft_shows_its_messages_and_its_changes(browser, service):
    page = browser.open("support", address="#/catalogs/wellness")
    page.wait_for_selector("text=/^Change the text/")
    for summary in page.locator("main details summary").all():
        summary.click()
    for channel in ("push", "email", "inapp"):
        page.wait_for_selector(".preview.%s >> nth=0" % channel)
    check("Subject" in page.locator(".preview.email").first.inner_text(), "a mail has no subject")
    browser.go(page, "#/catalogs/imanpath")
    source = page.get_by_label("Catalog text")
    text = source.input_value()
    source.fill(text.replace("title: Daily Check-in", "title: Evening Check-in"))
    page.wait_for_selector("main tr >> text=other text")
    row = page.locator("main tr", has_text="other text").first.inner_text()
    check("daily-checkin-reminder" in row, "the change is shown for another reminder: %s" % row)
    page.click("text=Discard")
    page.wait_for_selector("text=/^Change the text/")
    browser.close(page)


__all__ = [
    "a_hidden_page_requests_nothing", "a_reload_loads_the_file_or_shows_its_fault",
    "the_next_instants_are_listed_with_their_numbers",
    "a_draft_shows_its_messages_and_its_changes",
    "dead_letters_are_counted_and_resent_in_groups",
    "pages_use_the_stream_instead_of_polling", "the_feed_is_updated_and_can_be_searched",
    "dead_letters_are_updated_except_during_a_choice",
    "an_outdated_trial_is_not_shown", "without_a_stream_pages_poll"]
