"""Tests of three promises of the console. A page shows a change of the service at once. A dry run
shows the effects that a change will have. Drafts and content stay while the service is down."""

import signal
import time

from browser import check, show_all_settings


def a_sink_that_is_down_is_shown_without_polling(browser, service):
    page = browser.open("observer")
    page.wait_for_selector(".tiles")
    # Requests for the status get no response, so only the stream can report the sink.
    page.route("**/v1/status", lambda _: None)
    check(page.get_by_role("link", name="People").count() == 0, "an observer sees people")
    # This person has no quiet hours, so the test does not depend on the time of day.
    service.report("nora", "recipient.updated", {"email": "nora@example.org"})
    service.report("nora", "notification.requested", {
        "category": "WEEKLY_SUMMARY", "title": "Your week", "body": "It was good",
        "channels": ["email"]})
    page.wait_for_selector(".notice >> text=broken")
    browser.close(page)


def a_draft_outlives_the_service(browser, service):
    """The quiet hours of sami are on, because the task about the dry run has switched them on."""
    page = browser.open("support", address="#/p/sami/settings")
    show_all_settings(page)
    page.get_by_role("switch", name="Quiet hours").uncheck()
    apply = page.locator("aside").get_by_role("button", name="Apply")
    apply.wait_for()
    overview, stream_request = open_overview_without_stream(browser)
    service.end(signal.SIGKILL)
    with overview.expect_event("requestfailed"):
        stream_request.abort()
    overview.evaluate("() => fetch('/').catch(() => null)")
    # A page whose stream has ended loads again after half a second; it polls every five seconds.
    overview.clock.run_for(1_000)
    overview.wait_for_selector(".stale .notice")
    check(overview.locator(".tiles").count() == 1, "the old content is gone")
    overview.clock.resume()
    service.start()
    overview.wait_for_selector("main:not(:has(.stale)) .tiles")
    check(apply.is_visible(), "the draft is lost while the service is down")
    page.reload()
    page.locator("aside").get_by_role("button", name="Apply").wait_for()
    check(not page.get_by_role("switch", name="Quiet hours").is_checked(),
          "the draft is lost by a reload")
    an_outdated_answer_is_not_shown(page)
    page.context.close()
    overview.context.close()


def open_overview_without_stream(browser):
    """Returns two values: the overview page, whose clock is stopped, and the unanswered request for
    its stream."""
    page = browser.open("observer", address="#/service")
    stream_requests = []
    page.route("**/v1/status/stream", lambda route:
               route.continue_() if stream_requests else stream_requests.append(route))
    page.clock.install()
    page.clock.pause_at(time.time() + 1)
    browser.go(page, "#/")
    while not stream_requests:
        page.wait_for_timeout(20)
    return page, stream_requests[0]


def an_outdated_answer_is_not_shown(page):
    """The response to the draft's dry run arrives only after the draft was discarded."""
    dry_run_requests = []
    page.route("**/preferences?*dryRun=true*", lambda route: dry_run_requests.append(route))
    page.get_by_label("From").first.fill("19:00")
    while not dry_run_requests:
        page.wait_for_timeout(20)
    page.click("aside >> text=Discard")
    page.wait_for_selector("aside >> text=Change a setting")
    with page.expect_response(lambda answer: "dryRun=true" in answer.url):
        dry_run_requests.pop().continue_()
    page.evaluate("() => fetch('/').then(answer => answer.text())")
    check(page.locator("aside button").count() == 0, "the effects of a discarded draft are shown")


def old_content_is_marked_while_the_service_is_away(browser, service):
    """Checks a person's days, a person's notifications, and the overview."""
    pages = [browser.open("recipient:layla", address="#/me/days"),
             browser.open("support", address="#/p/layla/notifications"),
             browser.open("admin", address="#/")]
    service.end(signal.SIGKILL)
    for page in pages:
        page.wait_for_selector(".stale .offline >> text=/as of [-0-9]+ [:0-9]+ UTC/")
    sinks = pages[2].locator("section:has(> #sinks)")
    check(is_faded(sinks), "old sinks look current")
    service.start()
    for page in pages:
        page.wait_for_selector("main:not(:has(.stale, .offline)) .list")
    check(not is_faded(sinks), "current sinks look old")
    for page in pages:
        page.context.close()


def is_faded(element):
    return element.evaluate("element => getComputedStyle(element).opacity") != "1"


def decisions(timeline):
    """Returns sorted tuples: reminder, planned instant, instant of the decision, and whether the
    occurrence is dropped."""
    return sorted({(entry["reminder"], entry["planned"], entry["at"], entry["outcome"] == "dropped")
                   for entry in timeline})


def the_dry_run_agrees_with_schedule_and_simulation(browser, service):
    """Compares three results for one draft: the effects that the page shows, the schedule after the
    draft is applied, and a simulation of the person's events."""
    path = "/v1/recipients/sami"
    service.report("sami", "recipient.updated", {"timezone": "Asia/Riyadh"})
    service.report("sami", "streak.started", {})
    draft = {"quietHours": {"enabled": True, "start": "20:00", "end": "09:00"}}
    page = browser.open("support", address="#/p/sami/settings")
    show_all_settings(page)
    page.get_by_label("From").first.fill("20:00")
    page.get_by_label("To", exact=True).first.fill("09:00")
    page.get_by_role("switch", name="Quiet hours").check()
    page.wait_for_selector("aside .changes li")
    changes = service.ask("PATCH", path + "/preferences?dryRun=true", draft)["changes"]
    check(changes, "the draft would change nothing")
    expected = service.ask("POST", path + "/ahead", draft)
    titles = [change["title"] for change in changes]
    page.wait_for_function(
        "titles => String([...document.querySelectorAll('aside .changes b')]"
        ".map(title => title.textContent)) === titles", arg=",".join(titles))
    page.click("aside >> text=Apply")
    page.wait_for_selector("#toast >> text=Saved")
    ahead = service.ask("GET", path + "/ahead")
    check(decisions(ahead["timeline"]) == decisions(expected["timeline"]),
          "the schedule is not the one that the draft would have")
    # A moved notification is sent at its new time, alone or in a digest.
    instants = {entry["at"] for entry in ahead["timeline"]}
    for change in changes:
        if change["change"] == "moved" and change["after"] < ahead["through"]:
            check(change["after"] in instants, "nothing is sent at the new time of %s" % change)
    events = service.ask("GET", path + "/events?limit=100")["events"]
    simulation = service.ask("POST", "/v1/simulate", {
        "days": 14, "from": ahead["now"], "events": [
            {"specversion": "1.0", "id": event["id"], "source": event["source"], "subject": "sami",
             "type": event["type"], "time": event["time"], "data": event["data"]}
            for event in reversed(events)]})
    # Compares the decisions of the time that both results include.
    end = min(ahead["through"], simulation["through"])
    simulated, scheduled = (
        [decision for decision in decisions(result["timeline"]) if decision[2] < end]
        for result in (simulation, ahead))
    check(simulated == scheduled,
          "the simulation has %s, the schedule %s" % (simulated, scheduled))
    browser.close(page)


__all__ = [
    "a_draft_outlives_the_service", "a_sink_that_is_down_is_shown_without_polling",
    "the_dry_run_agrees_with_schedule_and_simulation",
    "old_content_is_marked_while_the_service_is_away"]
