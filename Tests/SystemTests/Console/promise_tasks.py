"""Promises of the console: news appear at once, and a dry run shows what a change would do."""

import signal
import time

from browser import check, show_all_settings


def a_sink_that_is_down_is_shown_without_polling(browser, service):
    page = browser.open("observer")
    page.wait_for_selector(".tiles")
    page.route("**/v1/status", lambda _: None)
    check(page.get_by_role("link", name="People").count() == 0, "an observer sees people")
    # A person without quiet hours, so that the time of day does not matter.
    service.tell("nora", "recipient.updated", {"email": "nora@example.org"})
    service.tell("nora", "notification.requested", {
        "category": "WEEKLY_SUMMARY", "title": "Your week", "body": "It was good",
        "channels": ["email"]})
    page.wait_for_selector(".notice >> text=broken")
    browser.close(page)


def a_draft_outlives_the_service(browser, service):
    """Uses sami, whose quiet hours are switched on by the task about the dry run."""
    page = browser.open("support", place="#/p/sami/settings")
    show_all_settings(page)
    page.get_by_role("switch", name="Quiet hours").uncheck()
    apply = page.locator("aside").get_by_role("button", name="Apply")
    apply.wait_for()
    watcher, stream = page_without_its_stream(browser)
    service.end(signal.SIGKILL)
    with watcher.expect_event("requestfailed"):
        stream.abort()
    watcher.evaluate("() => fetch('/').catch(() => null)")
    # This time is longer than the wait after a stream, and shorter than the interval of polling.
    watcher.clock.run_for(1_000)
    watcher.wait_for_selector(".stale .notice")
    check(watcher.locator(".tiles").count() == 1, "the old content is gone")
    watcher.clock.resume()
    service.start()
    watcher.wait_for_selector("main:not(:has(.stale)) .tiles")
    check(apply.is_visible(), "the draft is gone")
    page.reload()
    page.locator("aside").get_by_role("button", name="Apply").wait_for()
    check(not page.get_by_role("switch", name="Quiet hours").is_checked(), "the draft is lost")
    an_outdated_answer_is_not_shown(page)
    page.context.close()
    watcher.context.close()


def page_without_its_stream(browser):
    """Returns the overview, its clock stopped, and the request for its stream, not yet answered."""
    page = browser.open("observer", place="#/service")
    streams = []
    page.route("**/v1/status/stream",
               lambda route: route.continue_() if streams else streams.append(route))
    page.clock.install()
    page.clock.pause_at(time.time() + 1)
    browser.go(page, "#/")
    while not streams:
        page.wait_for_timeout(20)
    return page, streams[0]


def an_outdated_answer_is_not_shown(page):
    """The response about an outdated draft arrives after the draft was discarded."""
    trials = []
    page.route("**/preferences?*dryRun=true*", lambda route: trials.append(route))
    page.get_by_label("From").first.fill("19:00")
    while not trials:
        page.wait_for_timeout(20)
    page.click("aside >> text=Discard")
    page.wait_for_selector("aside >> text=Change a setting")
    with page.expect_response(lambda answer: "dryRun=true" in answer.url):
        trials.pop().continue_()
    page.evaluate("() => fetch('/').then(answer => answer.text())")
    check(page.locator("aside button").count() == 0, "an outdated draft is explained")


def old_content_is_marked_while_the_service_is_away(browser, service):
    """The pages are a person's days and history, and the overview."""
    pages = [browser.open("recipient:layla", place="#/me/days"),
             browser.open("support", place="#/p/layla/notifications"),
             browser.open("admin", place="#/")]
    service.end(signal.SIGKILL)
    for page in pages:
        page.wait_for_selector(".stale .offline >> text=/as of [-0-9]+ [:0-9]+ UTC/")
    sinks = pages[2].locator("section:has(> #sinks)")
    check(faded(sinks), "old sinks look current")
    service.start()
    for page in pages:
        page.wait_for_selector("main:not(:has(.stale, .offline)) .list")
    check(not faded(sinks), "current sinks look old")
    for page in pages:
        page.context.close()


def faded(place):
    return place.evaluate("place => getComputedStyle(place).opacity") != "1"


def planned(timeline):
    """The instants of deliveries and drops."""
    return sorted({(one["reminder"], one["planned"], one["at"], one["outcome"] == "dropped")
                   for one in timeline})


def the_dry_run_agrees_with_schedule_and_simulation(browser, service):
    """Compares, for one draft, the page, the schedule after it is applied, and a simulation of the
    same events."""
    person = "/v1/recipients/sami"
    service.tell("sami", "recipient.updated", {"timezone": "Asia/Riyadh"})
    service.tell("sami", "streak.started", {})
    draft = {"quietHours": {"enabled": True, "start": "20:00", "end": "09:00"}}
    page = browser.open("support", place="#/p/sami/settings")
    show_all_settings(page)
    page.get_by_label("From").first.fill("20:00")
    page.get_by_label("To", exact=True).first.fill("09:00")
    page.get_by_role("switch", name="Quiet hours").check()
    page.wait_for_selector("aside .changes li")
    trial = service.ask("PATCH", person + "/preferences?dryRun=true", draft)["changes"]
    check(trial, "nothing would change")
    after = service.ask("POST", person + "/ahead", draft)
    said = [change["title"] for change in trial]
    page.wait_for_function(
        "said => String([...document.querySelectorAll('aside .changes b')]"
        ".map(title => title.textContent)) === said", arg=",".join(said))
    page.click("aside >> text=Apply")
    page.wait_for_selector("#toast >> text=Saved")
    ahead = service.ask("GET", person + "/ahead")
    check(planned(ahead["timeline"]) == planned(after["timeline"]), "the draft's days differ")
    # A moved notification is sent at its new time, alone or in a digest.
    at = {one["at"] for one in ahead["timeline"]}
    for change in trial:
        if change["change"] == "moved" and change["after"] < ahead["through"]:
            check(change["after"] in at, "%s did not happen" % change)
    events = service.ask("GET", person + "/events?limit=100")["events"]
    simulation = service.ask("POST", "/v1/simulate", {
        "days": 14, "from": ahead["now"], "events": [
            {"specversion": "1.0", "id": one["id"], "source": one["source"], "subject": "sami",
             "type": one["type"], "time": one["time"], "data": one["data"]}
            for one in reversed(events)]})
    end = min(ahead["through"], simulation["through"])
    simulated, scheduled = ([one for one in planned(all["timeline"]) if one[2] < end]
                            for all in (simulation, ahead))
    check(simulated == scheduled, "simulated are %s, not %s" % (simulated, scheduled))
    browser.close(page)


__all__ = [
    "a_draft_outlives_the_service", "a_sink_that_is_down_is_shown_without_polling",
    "the_dry_run_agrees_with_schedule_and_simulation",
    "old_content_is_marked_while_the_service_is_away"]
