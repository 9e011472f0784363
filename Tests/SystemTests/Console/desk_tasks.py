"""Tasks of operators and of authors of catalogs in the console."""

import re

from browser import PATIENCE, check


# The number of minutes on the page's clock in which a visible page must send a request.
LOOKS = 50
HIDE = """() => {
  Object.defineProperty(document, 'hidden', {configurable: true, value: true});
  document.dispatchEvent(new Event('visibilitychange'));
}"""


def the_feed_is_updated_and_can_be_searched(browser, service):
    page = browser.open("support", place="#/feed")
    page.wait_for_selector(".item >> text=layla >> nth=0")
    service.tell("feeding", "notification.requested", {
        "category": "ACHIEVEMENTS", "title": "Never in the feed", "body": "Nor this"})
    page.wait_for_selector(".item >> text=feeding >> nth=0")
    for words in ("Never in the feed", "Nor this", "Well done", "A week without"):
        check(words not in page.content(), "%r is shown to everyone" % words)
    page.get_by_label("Outcome").select_option("failed")
    page.wait_for_function(
        "() => { const all = [...document.querySelectorAll('.item')]; return all.length > 0 &&"
        " all.every(item => item.textContent.includes('broken')); }")
    page.get_by_label("Sink").fill("nobody")
    page.get_by_label("Sink").dispatch_event("change")
    page.wait_for_selector("main .empty")
    page.get_by_label("Sink").fill("")
    page.get_by_label("Sink").dispatch_event("change")
    page.click(".item >> text=erin >> nth=0")
    page.wait_for_selector("h1 >> text=erin")
    browser.close(page)


def asked(page):
    """Collects the paths that a page requests from now on, without streams."""
    paths = []
    page.on("request", lambda request: paths.append(request.url.split("/v1/")[-1])
            if "/v1/" in request.url and "/stream" not in request.url else None)
    return paths


def events(page):
    tile = page.locator(".tile", has_text="events accepted")
    return int(re.sub(r"\D", "", tile.locator("b").inner_text()))


def wait_for_events(page, before):
    page.wait_for_function(
        "before => [...document.querySelectorAll('.tile')].some(tile => tile.textContent.includes("
        "'events accepted') && parseInt(tile.textContent.replace(/\\D/g, '')) > before)",
        arg=before)


def pages_use_the_stream_instead_of_polling(browser, service):
    page = browser.open("observer")
    with page.expect_request("**/v1/status/stream"):
        page.reload()
    page.wait_for_selector(".tile")
    page.wait_for_function("() => !document.querySelector('main [aria-busy]')")
    paths, before = asked(page), events(page)
    sinks = page.locator("tbody a").first
    sinks.focus()
    for _ in range(2):
        service.tell("omar", "streak.started", {})
        wait_for_events(page, before)
        before = events(page)
    check("status" not in paths, "the page requests what the stream sends: %s" % paths)
    check(sinks.evaluate("one => one === document.activeElement"), "the focus is lost")
    # A hidden page has no stream and requests nothing.
    with page.expect_event("requestfailed", lambda request: request.url.endswith("/stream")):
        page.evaluate(HIDE)
    paths.clear()
    with page.expect_request("**/v1/status/stream"):
        page.evaluate(
            "() => { delete document.hidden;"
            " document.dispatchEvent(new Event('visibilitychange')); }")
    browser.close(page)


def let_pass(page, milliseconds):
    """Advances the page's clock, then waits in real time for responses."""
    page.clock.run_for(milliseconds)
    page.evaluate("() => fetch('/').then(answer => answer.text())")


def a_hidden_page_requests_nothing(browser, service):
    """A visible page repeats its requests. A hidden page sends none, however long it is hidden."""
    for place in ("#/", "#/feed", "#/log", "#/sinks/log", "#/p/layla/days",
                  "#/p/layla/notifications"):
        context = browser.browser.new_context()
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.clock.install()
        page.route(re.compile("/v1/.*/stream"), lambda route: route.abort())
        page.goto(service.address("support"))
        page.wait_for_selector("#top nav a")
        browser.go(page, place)
        asked_for = []
        page.on("request", lambda request: asked_for.append(request.url)
                if "/v1/" in request.url else None)
        for _ in range(LOOKS):
            let_pass(page, 60_000)
            if asked_for:
                break
        check(asked_for, "%s requests nothing while it is visible" % place)
        page.evaluate(HIDE)
        let_pass(page, 1_000)
        page.wait_for_function("() => !document.querySelector('main [aria-busy]')")
        asked_for.clear()
        for _ in range(5):
            let_pass(page, 60_000)
        check(not asked_for, "%s requests %s while it is hidden" % (place, asked_for))
        context.close()


def a_reload_loads_the_file_or_shows_its_fault(browser, service):
    file = service.directory + "/chimed.yaml"
    with open(file) as configuration:
        valid = configuration.read()
    page = browser.open("admin", place="#/service")
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
    # The zone is a quarter of an hour apart from others, so that two instants differ at any time.
    service.tell("kiran", "recipient.updated", {"timezone": "Asia/Kathmandu"})
    service.tell("kiran", "streak.started", {})
    page = browser.open("observer")
    page.wait_for_selector(".tiles")
    card = page.locator("section", has=page.get_by_role("heading", name="Next", exact=True))
    coming = service.ask("GET", "/v1/status")["next"]
    check(len(coming) > 1, "there are too few instants: %s" % coming)
    said = card.locator("li").all_inner_texts()
    check(len(said) == len(coming), "%s is shown for %s" % (said, coming))
    for text, one in zip(said, coming):
        at = one["at"][:19].replace("T", " ") + " UTC"
        people = ("for at least %d" if one.get("more") else "for %d") % one["recipients"]
        for words in (at, one["reminder"], people):
            check(words in text, "%r is not in %r" % (words, text))
    browser.close(page)


def without_a_stream_pages_poll(browser, service):
    context = browser.browser.new_context()
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.route(re.compile("/v1/.*/stream"), lambda route: route.abort())
    page.goto(service.address("support"))
    page.wait_for_selector(".tile")
    before = events(page)
    service.tell("omar", "streak.started", {})
    wait_for_events(page, before)
    page.evaluate("() => { location.hash = '#/log' }")
    page.wait_for_selector(".log .entry")
    service.tell("unstreamed", "notification.requested", {
        "category": "ACHIEVEMENTS", "title": "T", "body": "B"})
    page.wait_for_selector(".log .entry >> text=unstreamed >> nth=0")
    context.close()


def dead_letters_are_updated_except_during_a_choice(browser, service):
    page = browser.open("support", place="#/dead")

    def fail(person):
        service.tell(person, "recipient.updated", {"email": person + "@example.org"})
        service.tell(person, "notification.requested", {
            "category": "INVOICES", "title": "Unheard", "body": "Of nobody"})
    fail("late-one")
    row = page.get_by_role("row", name="late-one")
    row.wait_for()
    row.get_by_role("checkbox").check()
    before = service.ask("GET", "/v1/status")["deadLetters"]
    fail("late-two")
    while service.ask("GET", "/v1/status")["deadLetters"] == before:
        page.wait_for_timeout(20)
    check(row.get_by_role("checkbox").is_checked(), "the choice is lost")
    check(page.get_by_role("row", name="late-two").count() == 0, "the list has moved")
    row.get_by_role("checkbox").uncheck()
    fail("late-three")
    page.get_by_role("row", name="late-three").wait_for()
    page.get_by_role("row", name="late-two").wait_for()
    for person in ("late-one", "late-two", "late-three"):
        service.ask("DELETE", "/v1/deadletters?recipient=" + person)
    page.get_by_role("row", name="late-one").wait_for(state="detached")
    browser.close(page)


def an_outdated_trial_is_not_shown(browser, service):
    """The response to an earlier draft arrives after the response to the current one."""
    page = browser.open("support", place="#/catalogs/imanpath")
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
    check("The first title" not in page.inner_text("main"), "an outdated response is shown")
    page.click("text=Discard")
    page.context.close()


def dead_letters_are_counted_and_resent_in_groups(browser, service):
    page = browser.open("support", place="#/dead")
    said = []
    page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.accept()))
    page.wait_for_selector("text=2 in total")
    page.get_by_label("Group by", exact=True).select_option("recipient")
    page.get_by_role("button", name="erin", exact=True).click()
    page.wait_for_selector("text=1 in total")
    page.wait_for_function("() => document.querySelectorAll('td input').length === 2")
    page.get_by_role("button", name="Resend all 1 matching").click()
    page.wait_for_selector("#toast >> text=Resent: 1")
    check("0 have expired" in said[0], "no confirmation: %s" % said)
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
    page = browser.open("support", place="#/catalogs/wellness")
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
    check("daily-checkin-reminder" in row, "the change is shown for %s" % row)
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
