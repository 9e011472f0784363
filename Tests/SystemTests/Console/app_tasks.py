"""Requests by pages of other origins, which a browser permits only to configured origins (H18)."""

from browser import TIMEOUT, check, serve_page

# Sends a request. Returns the status and the ETag of the response; null if the browser blocks it.
SEND = """([url, token, method, fields, body]) =>
    fetch(url, {method, headers: {Authorization: `Bearer ${token}`, ...fields}, body})
    .then(answer => [answer.status, answer.headers.get("etag")], () => null)"""


def only_a_configured_origin_may_send_requests(browser, service):
    token = service.token("recipient:app")
    page = browser.browser.new_page()
    page.set_default_timeout(TIMEOUT)

    def send(path, method="GET", fields={}, body=None):
        return page.evaluate(SEND, [service.origin + path, token, method, fields, body])

    preferences_path = "/v1/recipients/app/preferences"
    service.report("app", "recipient.updated", {"email": "app@example.org"})
    page.goto(service.app_origin)
    status, version = send(preferences_path)
    check(status == 200, "the request for the preferences is answered %s" % status)
    fields = {"Content-Type": "application/json", "If-Match": version}
    changed = send(preferences_path, "PATCH", fields, '{"quietHours": {"enabled": true}}')
    check(changed[0] == 200, "the change is answered %s" % changed[0])
    check(send("/v1/recipients/layla/preferences")[0] == 403, "the page may read another recipient")
    check(send("/v1/status") is None, "the page may read the status of the service")
    page.goto(serve_page())
    check(send(preferences_path) is None, "a page of another origin may send requests")
    page.close()
