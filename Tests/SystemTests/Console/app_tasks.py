"""Pages that the service did not serve call it from a browser (rule H18)."""

from browser import PATIENCE, check, serve_page

# Returns the status and the ETag of a response, or null if the browser refuses the request.
SEND = """([url, token, method, fields, body]) =>
    fetch(url, {method, headers: {Authorization: `Bearer ${token}`, ...fields}, body})
    .then(answer => [answer.status, answer.headers.get("etag")], () => null)"""


def a_page_of_a_configured_origin_may_call(browser, service):
    token = service.token("recipient:app")
    page = browser.browser.new_page()
    page.set_default_timeout(PATIENCE)

    def send(path, method="GET", fields={}, body=None):
        return page.evaluate(SEND, [service.origin + path, token, method, fields, body])

    own = "/v1/recipients/app/preferences"
    service.tell("app", "recipient.updated", {"email": "app@example.org"})
    page.goto(service.app)
    status, version = send(own)
    check(status == 200, "the preferences are answered %s" % status)
    fields = {"Content-Type": "application/json", "If-Match": version}
    changed = send(own, "PATCH", fields, '{"quietHours": {"enabled": true}}')
    check(changed[0] == 200, "the change is answered %s" % changed[0])
    check(send("/v1/recipients/layla/preferences")[0] == 403, "the page may read others")
    check(send("/v1/status") is None, "the page may use a path of the service")
    page.goto(serve_page())
    check(send(own) is None, "a page of another origin may call")
    page.close()
