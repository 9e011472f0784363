import HTTPTypes
import HummingbirdCore
import NIOCore

/// A short HTML page that a link in a notification opens, with or without buttons.
struct LinkPage: Sendable {
  /// A button that sends a POST request.
  struct Button: Sendable {
    let title: String
    /// The URL of the request, relative to the page; empty for the page's own URL.
    var target = ""
    /// The field that the button sends, as `name=value`; nil for none.
    var field: String?
  }

  let heading: String
  let text: String
  var buttons: [Button] = []
  var language = "en"
  var isRightToLeft = false

  var html: String {
    """
    <!DOCTYPE html>
    <html lang="\(Self.escaped(language))" dir="\(isRightToLeft ? "rtl" : "ltr")">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>\(Self.escaped(heading))</title>
    <style>
    body { margin: 15vh auto; max-width: 30em; padding: 0 1em; font-family: sans-serif }
    h1, p, button { overflow-wrap: anywhere }
    button { margin-top: .6em; padding: .6em 1.2em; max-width: 100%; font-size: 1em }
    </style>
    </head>
    <body>
    <main>
    <h1>\(Self.escaped(heading))</h1>
    <p>\(Self.escaped(text))</p>
    \(buttons.map(form).joined())</main>
    </body>
    </html>

    """
  }

  private func form(_ button: Button) -> String {
    let action = button.target.isEmpty ? "" : " action=\"\(Self.escaped(button.target))\""
    let pair = button.field?.split(separator: "=", maxSplits: 1) ?? []
    let field =
      pair.count == 2
      ? "<input type=\"hidden\" name=\"\(pair[0])\" value=\"\(pair[1])\">\n" : ""
    return """
      <form method="post"\(action)>
      \(field)<button>\(Self.escaped(button.title))</button>
      </form>

      """
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;")
  }
}

extension Response {
  /// Creates a response with a page that loads nothing, is not cached, sends no referrer, and
  /// cannot be framed.
  init(page: LinkPage, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]) {
    self.init(
      status: status,
      headers: [
        .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
        .contentSecurityPolicy:
          "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; "
          + "frame-ancestors 'none'; base-uri 'none'",
        .xContentTypeOptions: "nosniff",
      ], body: ResponseBody(byteBuffer: ByteBuffer(string: page.html)))
    for (name, value) in [("Referrer-Policy", "no-referrer"), ("X-Robots-Tag", "noindex")] {
      if let name = HTTPField.Name(name) { self.headers[name] = value }
    }
    for field in headers { self.headers[field.name] = field.value }
  }
}
