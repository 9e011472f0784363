import TestSupport

/// Generates hostile requests, none of which may change anything.
struct Hostility {
  /// A valid token, for requests that must pass authentication.
  let token: String
  private var generator: SplitMix64

  init(seed: UInt64, bearing token: String) {
    generator = SplitMix64(seed: seed)
    self.token = token
  }

  mutating func request() -> [UInt8] {
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: return Bool.random(using: &generator) ? noise(1...3_000) : Array(giant().utf8)
    case 1: return Array(badHead().utf8)
    case 2: return Array(badLength().utf8)
    case 3: return Array(badChunks().utf8)
    case 4: return badText()
    case 5: return Array(badPath().utf8)
    case 6: return truncated()
    default: return mutated()
    }
  }

  private mutating func pick<Value>(_ values: [Value]) -> Value {
    values[Int.random(in: values.indices, using: &generator)]
  }

  private mutating func noise(_ count: ClosedRange<Int>) -> [UInt8] {
    (0..<Int.random(in: count, using: &generator)).map { _ in
      UInt8.random(in: 0 ... .max, using: &generator)
    }
  }

  private mutating func fields() -> String {
    let credentials = pick([token, token, token, "x", String(token.reversed())])
    return "Host: localhost\r\nAuthorization: Bearer \(credentials)\r\n"
  }

  /// Returns a POST request whose first fields are valid, followed by the given text.
  private mutating func post(_ rest: String, to path: String = "/v1/events") -> String {
    "POST \(path) HTTP/1.1\r\n" + fields() + rest
  }

  // MARK: - Heads

  private mutating func badHead() -> String {
    let path = pick(Self.paths)
    let line = pick([
      "GET  \(path) HTTP/1.1", "GET \(path)", "G ET \(path) HTTP/1.1", "get \(path) HTTP/1.1",
      "GET \(path) HTTP/2.0", "GET \(path) HTTP/1.1.1", "GET \(path) FTP/1.1", " ", "",
      "BREW \(path) HTTP/1.1", "CONNECT \(path) HTTP/1.1", "PRI * HTTP/2.0", "\u{0}GET \(path)",
      "GET http://elsewhere.example\(path) HTTP/1.1", "OPTIONS * HTTP/1.1",
    ])
    let field = pick([
      "Host: a b", "Host:", "Host : localhost", "Host: localhost\r\nHost: elsewhere.example",
      " folded: yes", "No colon", ": no name", "N\u{e4}me: x", "X: \u{0}", "X: a\rb", "\u{7f}: x",
      "Authorization: Bearer", "Authorization: Bearer \(token)\r\nAuthorization: Bearer \(token)",
      "Transfer-Encoding: gzip", "Expect: 200-ok", "Upgrade: h2c\r\nConnection: Upgrade",
      "Last-Event-ID: \u{e9}", "If-Match: W/\"1\"", "Content-Length: 0\r\nConnection: \u{1}",
    ])
    return line + "\r\n" + (Bool.random(using: &generator) ? fields() : "") + field + "\r\n\r\n"
  }

  private mutating func badLength() -> String {
    let length = pick([
      "-1", "1e3", "0x10", "99999999999999999999999", "10, 11", "", " ", "+5", "1048577",
      "9223372036854775807", "5\r\nContent-Length: 6", "5\r\nTransfer-Encoding: chunked", "3",
    ])
    return post("Content-Type: application/json\r\nContent-Length: \(length)\r\n\r\n{\"a\":1}")
  }

  private mutating func badChunks() -> String {
    let type = pick(["application/json", "application/x-ndjson"])
    let chunks = pick([
      "zz\r\n{}\r\n0\r\n\r\n", "-1\r\n{}\r\n", "fffffffffffffffffff\r\n{}", "2\r\n{}X\r\n0\r\n\r\n",
      "2\r\n{", "2;a=b\r\n{}\r\n0\r\nTrailer\r\n\r\n", "\r\n\r\n", "2\n{}\n0\n\n", "100000\r\n{}",
      "2\r\n{}\r\n", "0\r\n", "5\r\n{}\r\n0\r\n\r\n", "2 \r\n{}\r\n0\r\n\r\n",
    ])
    return post("Content-Type: \(type)\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)
  }

  private mutating func giant() -> String {
    let many = Int.random(in: 1_001...3_000, using: &generator)
    return pick([
      "GET /healthz HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 90_000))\r\n\r\n",
      "GET /\(String(repeating: "a", count: 90_000)) HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET /healthz HTTP/1.1\r\n" + String(repeating: "A: b\r\n", count: many) + "\r\n",
      "\(String(repeating: "G", count: 90_000)) /healthz HTTP/1.1\r\n\r\n",
      "GET /healthz?\(String(repeating: "a=b&", count: 4_000)) HTTP/1.1\r\nHost: a\r\n\r\n",
    ])
  }

  // MARK: - Paths

  private static let paths = [
    "/healthz", "/v1/recipients/amina/pending", "/v1/recipients/amina/preferences",
    "/v1/recipients/amina/notifications?limit=2", "/v1/status", "/openapi.json", "/metrics",
    "/v1/analytics?from=2026-03-01", "/v1/recipients/amina/explain?category=CHECKIN",
  ]

  private mutating func badPath() -> String {
    let method = pick(["GET", "HEAD", "PATCH", "POST", "DELETE", "PUT"])
    let recipient = pick([
      "%", "%zz", "%ff", "%00", "..", "amina%2f..", String(repeating: "a", count: 129), "", "%0a",
    ])
    let rest = pick([
      "pending", "stream?channels=", "stream?lastEventId=%ff", "preferences?form=x",
      "notifications?limit=-1&limit=2", "notifications?q=%", "ahead?days=1e9", "nowhere",
      "scheduled/~", "preferences/presets/%2e%2e/apply", "explain?at=never&category=CHECKIN",
      "stream?lastEventId=1-1-1", "badge?a=b&c", "export?x", "",
    ])
    let path = "/v1/recipients/\(recipient)/\(rest)"
    return "\(method) \(path) HTTP/1.1\r\n" + fields() + "Content-Length: 0\r\n\r\n"
  }

  // MARK: - Bodies

  private mutating func badText() -> [UInt8] {
    let deep = String(repeating: pick(["[", "{\"a\":"]), count: 5_000)
    var text = Array(
      pick([
        "{", "[1,", "{\"a\":01}", "{\"a\":1e999}", "\"\\ud800\"", "nul", "[]x", "{\"a\":1,\"a\":2}",
        deep, "{\"specversion\":\"1.0\"}", "[null,1,\"x\",[],{}]", "NaN", "\u{feff}{}", "",
        Self.event, "[\(Self.event)]", "{\"master\":\"yes\"}", "{\"a\\u0000b\":1}",
        "{\"quietHours\":{\"start\":\"25:00\"}}", "{\"\(String(repeating: "k", count: 9_000))\":1}",
      ]).utf8)
    if Bool.random(using: &generator) { text += noise(1...20) }
    let path = pick([
      "/v1/events", "/v1/recipients/amina/preferences", "/v1/recipients/amina/preferences/import",
      "/v1/recipients/amina/scheduled/x~1/snooze", "/v1/tokens",
      "/api/notifications/read?recipient=amina", "/customers/amina/fcm-token",
    ])
    let method = path.hasSuffix("preferences") ? "PATCH" : path.hasPrefix("/api") ? "PUT" : "POST"
    let type = pick([
      "application/json", "application/x-ndjson", "application/cloudevents+json", "text/plain",
      "application/json; charset=latin-1", "application/json\r\nContent-Encoding: gzip", "",
    ])
    let head =
      "\(method) \(path) HTTP/1.1\r\n" + fields()
      + "Content-Type: \(type)\r\nContent-Length: \(text.count)\r\n\r\n"
    return Array(head.utf8) + text
  }

  /// An event whose type is not declared.
  private static let event = """
    {"specversion":"1.0","id":"e","source":"s","type":"nothing.known","subject":"amina"}
    """

  // MARK: - Mutations of valid requests

  private mutating func validRequest() -> [UInt8] {
    let body = Self.event
    let length = "Content-Length: \(body.utf8.count)\r\n\r\n"
    let requests = [
      "GET \(pick(Self.paths)) HTTP/1.1\r\n" + fields() + "\r\n",
      post("Content-Type: application/json\r\n" + length + body),
      post("Content-Type: application/x-ndjson\r\n" + length + body),
      "PATCH /v1/recipients/amina/preferences HTTP/1.1\r\n" + fields()
        + "Expect: 100-continue\r\nContent-Length: 15\r\n\r\n{\"mastre\":false}",
    ]
    return Array(pick(requests).utf8)
  }

  private mutating func truncated() -> [UInt8] {
    let bytes = validRequest()
    return Array(bytes[..<Int.random(in: 0..<bytes.count, using: &generator)])
  }

  private mutating func mutated() -> [UInt8] {
    var bytes = validRequest()
    for _ in 0..<Int.random(in: 1..<8, using: &generator) {
      let index = Int.random(in: 0..<bytes.count, using: &generator)
      let end = min(bytes.count, index + Int.random(in: 1..<30, using: &generator))
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: bytes[index] = UInt8.random(in: 0 ... .max, using: &generator)
      case 1 where end - index < bytes.count: bytes.removeSubrange(index..<end)
      case 2: bytes.insert(contentsOf: Array(bytes[index..<end]), at: index)
      default: bytes.insert(contentsOf: noise(1...10), at: index)
      }
    }
    return bytes
  }
}
