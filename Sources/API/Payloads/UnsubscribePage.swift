import HTTPTypes
import HummingbirdCore
import NIOCore

/// A short HTML page, with or without a button.
struct UnsubscribePage: Sendable {
  let heading: String
  let text: String
  /// The field that the button sends, as `name=value`; nil for no button.
  let button: String?

  var html: String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>\(Self.escaped(heading))</title>
    <style>
    body { margin: 15vh auto; max-width: 30em; padding: 0 1em; font-family: sans-serif }
    button { padding: .6em 1.2em; font-size: 1em }
    </style>
    </head>
    <body>
    <h1>\(Self.escaped(heading))</h1>
    <p>\(Self.escaped(text))</p>
    \(form)</body>
    </html>

    """
  }

  private var form: String {
    guard let button else { return "" }
    let parts = button.split(separator: "=", maxSplits: 1)
    return """
      <form method="post">
      <input type="hidden" name="\(parts[0])" value="\(parts.count > 1 ? parts[1] : "")">
      <button>Unsubscribe</button>
      </form>

      """
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}

extension Response {
  /// A page that loads nothing, is not cached, sends no referrer, and cannot be framed.
  init(page: UnsubscribePage) {
    self.init(
      status: .ok,
      headers: [
        .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
        .contentSecurityPolicy:
          "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; "
          + "frame-ancestors 'none'; base-uri 'none'",
        .xContentTypeOptions: "nosniff",
      ], body: ResponseBody(byteBuffer: ByteBuffer(string: page.html)))
    for (name, value) in [("Referrer-Policy", "no-referrer"), ("X-Robots-Tag", "noindex")] {
      if let name = HTTPField.Name(name) { headers[name] = value }
    }
  }
}
