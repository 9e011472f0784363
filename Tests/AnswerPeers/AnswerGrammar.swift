internal import TestSupport

/// Generates HTTP/1.1 answers, from good ones to malicious ones.
package struct AnswerGrammar {
  private var random: SplitMix64

  package init(seed: UInt64) {
    random = SplitMix64(seed: seed)
  }

  package mutating func script() -> AnswerScript {
    var script =
      switch random.number(0...9) {
      case 0...2: plain()
      case 3: AnswerScript(Array((badStatusLine() + "Content-Length: 0\r\n\r\n").utf8))
      case 4, 5: AnswerScript(head(anyStatus(), fields()) + body())
      case 6: withWrongLength()
      case 7: withInterimAnswers()
      case 8: several()
      default: chunked()
      }
    if random.chance(15) { script.damage(&random) }
    if random.chance(40) { script.split(&random) }
    // Few scripts leave the connection open, because the client may then wait until its deadline.
    let mayEnd = script.expectation == .any && script.endless.isEmpty
    if mayEnd, !random.chance(8) {
      script.ending = random.pick([.close, .close, .halfClose, .reset])
    }
    return script
  }

  /// A good answer with any status.
  package mutating func status() -> AnswerScript { plain() }

  private func head(_ status: String, _ fields: [String], reason: String = "X") -> [UInt8] {
    Array(("HTTP/1.1 \(status) \(reason)\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n").utf8)
  }

  private mutating func anyStatus() -> String {
    var status =
      random.chance(50) ? random.pick([200, 202, 204, 400, 429, 503]) : random.number(0...999)
    // 410 would disable a webhook.
    if status == 410 { status = 411 }
    let digits = String(status)
    return String(repeating: "0", count: 3 - digits.count) + digits
  }

  // MARK: - Whole answers

  private mutating func plain() -> AnswerScript {
    let status = anyStatus()
    let code = Int(status) ?? 0
    let expectation: AnswerScript.Expectation =
      switch code {
      case 200..<300: .delivered
      case 300..<600: .refused
      case 101, ..<100, 600...: .retry
      default: .any
      }
    let count = [204, 304].contains(code) || code < 200 ? 0 : random.number(0...9_000)
    var fields = ["Content-Length: \(count)"]
    if random.chance(60) { fields.append("Retry-After: \(retryAfter())") }
    return AnswerScript(
      head(status, fields) + Array(repeating: UInt8(ascii: "b"), count: count), expectation)
  }

  private mutating func retryAfter() -> String {
    random.pick([
      "0", "1", "120", "-1", "99999999999999999999999999", "1e9", " 7 ", "", "soon",
      "9223372036854775807",
      "Mon, 02 Mar 2026 12:00:30 GMT", "Monday, 02-Mar-26 12:00:30 GMT", "Mon Mar  2 12:00:30 2026",
      "Thu, 01 Jan 1970 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT",
      "Mon, 99 Mar 2026 99:99:99 GMT",
      String(repeating: "9", count: 5_000),
    ])
  }

  // MARK: - Heads

  private mutating func badStatusLine() -> String {
    let line = random.pick([
      "HTTP/2.0 200 OK", "HTTP/1.9 200 OK", "HTTP/0.9 200 OK", "HTTP/1.10 200 OK", "HTTP/ 200 OK",
      "http/1.1 200 OK", "ICY 200 OK", "HTTP/1.1 20 OK", "HTTP/1.1 2000 OK", "HTTP/1.1 -20 OK",
      "HTTP/1.1 +200 OK", "HTTP/1.1 2e2 OK", "HTTP/1.1 OK", "HTTP/1.1", "HTTP/1.1  200  OK",
      "HTTP/1.1\t200\tOK",
      "HTTP/1.1 99999999999999999999 OK", "HTTP/1.1 200", "HTTP/1.0 200 OK", "HTTP/1.1 000",
      "HTTP/1.1 00 X",
      "HTTP/1.1 ２００ OK", "GET / HTTP/1.1", "\u{0}\u{0}\u{0}", "\r\n\r\nHTTP/1.1 200 OK",
      "HTTP/1.1 200 " + String(repeating: "r", count: random.number(1...200_000)),
      "HTTP/1.1 200 \u{1}\u{7f}\u{e9}", "HTTP/1.1 200 O\u{0}K", "220 mail.example ESMTP",
      "PRI * HTTP/2.0\r\n\r\nSM", "\u{16}\u{3}\u{1}",
    ])
    return line + random.pick(["\r\n", "\r\n", "\n", "\r", ""])
  }

  private mutating func fields() -> [String] {
    (0..<random.number(0...4)).flatMap { _ in field() }
  }

  private mutating func field() -> [String] {
    switch random.number(0...13) {
    case 0: ["Content-Length: \(length())"]
    case 1: ["Content-Length: 3", "Content-Length: \(random.number(3...5))"]
    case 2: ["Transfer-Encoding: \(coding())"]
    case 3: ["Content-Length: 3", "Transfer-Encoding: chunked"]
    case 4: ["X-Folded: a", " b", "\tc"]
    case 5: ["X-Nul: a\u{0}b", "X\u{0}: b"]
    case 6: ["X-\u{e9}: \u{fc}", "\u{1F600}: x", "X: \u{2028}"]
    case 7: [": nothing", "no colon", " X: y", "X : y", ""]
    case 8: (0..<random.number(1...400)).map { "X-\($0): \($0)" }
    case 9: ["X: " + String(repeating: "x", count: random.number(1...150_000))]
    case 10: [String(repeating: "N", count: random.number(1...150_000)) + ": x"]
    case 11: ["Connection: upgrade", "Upgrade: \(random.pick(["websocket", "h2c", ""]))"]
    case 12:
      ["Connection: \(random.pick(["close", "keep-alive", "close, keep-alive", ",,,", "\u{0}"]))"]
    default: ["Retry-After: \(retryAfter())", "Retry-After: \(retryAfter())"]
    }
  }

  private mutating func length() -> String {
    random.pick([
      "0", "3", "00000003", "-1", "+3", "3, 3", "3,4", "", " ", "0x3", "1e3", "9223372036854775807",
      "9223372036854775808", "18446744073709551615", "18446744073709551616",
      "340282366920938463463374607431768211456",
      "3 3", "three", "٣",
    ])
  }

  private mutating func coding() -> String {
    random.pick([
      "chunked", "Chunked", "gzip", "gzip, chunked", "chunked, gzip", "chunked, chunked",
      "identity", "", "\u{0}",
      "chunked;q=1", "xchunked",
    ])
  }

  // MARK: - Bodies

  private mutating func body() -> [UInt8] {
    switch random.number(0...3) {
    case 0: []
    case 1: Array("abc".utf8)
    case 2: random.bytes(random.number(1...20_000))
    default: Array("3\r\nabc\r\n0\r\n\r\n".utf8)
    }
  }

  /// A wrong length, no length, or an endless body.
  private mutating func withWrongLength() -> AnswerScript {
    let count = random.number(0...10_000)
    let declaredCount = max(0, count + random.number(-50...50))
    if random.chance(40) {
      var script = AnswerScript(
        head("200", random.chance(50) ? [] : ["Content-Length: 99999999999"]))
      script.endless = random.bytes(1 << 16)
      return script
    }
    return AnswerScript(
      head(anyStatus(), random.chance(70) ? ["Content-Length: \(declaredCount)"] : [])
        + random.bytes(count))
  }

  private mutating func chunked() -> AnswerScript {
    var bytes = head(anyStatus(), ["Transfer-Encoding: chunked"])
    var endless: [UInt8] = []
    for _ in 0..<random.number(0...5) {
      let count = random.number(1...3_000)
      bytes += Array((String(count, radix: 16) + random.pick(["", "", ";a=b", " "]) + "\r\n").utf8)
      bytes += random.bytes(count) + random.pick(["\r\n", "\r\n", "\r\n", "", "\n"]).utf8
    }
    switch random.number(0...6) {
    case 0:
      endless =
        Array("5\r\nabcde\r\n".utf8)
        + Array(repeating: Array("5\r\nabcde\r\n".utf8), count: 5_000).joined()
    case 1: bytes += Array("FFFFFFFFFFFFFFFFF\r\nabc".utf8)
    case 2:
      bytes +=
        Array(random.pick(["7fffffffffffffff", "ffffffffffffffff", "-1", "0x5", "g", ""]).utf8)
        + Array("\r\nabc".utf8)
    case 3:
      bytes += Array(
        ("5;" + String(repeating: "e", count: 100_000) + "\r\nabcde\r\n0\r\n\r\n").utf8)
    case 4: bytes += Array("0\r\nX-Trailer: a\r\n: b\r\nno colon\r\n\r\n".utf8)
    case 5:
      bytes += Array(
        ("0\r\n" + String(repeating: "T: t\r\n", count: random.number(1...40_000)) + "\r\n").utf8)
    default: bytes += Array("0\r\n\r\n".utf8)
    }
    var script = AnswerScript(bytes)
    script.endless = endless
    return script
  }

  // MARK: - More than one

  /// Interim answers (1xx), with or without a final answer.
  private mutating func withInterimAnswers() -> AnswerScript {
    let interim = { (status: String) in Array("HTTP/1.1 \(status) Wait\r\nLink: </a>\r\n\r\n".utf8)
    }
    let status = random.pick(["100", "102", "103", "199", "101", "099"])
    let bytes = (0..<random.pick([1, 2, 50, 5_000])).flatMap { _ in interim(status) }
    var script = AnswerScript(bytes + (random.chance(70) ? plain().pieces[0] : []))
    if random.chance(10) {
      script.endless = Array(repeating: interim("100"), count: 1_000).flatMap(\.self)
    }
    return script
  }

  /// Several answers to one request.
  private mutating func several() -> AnswerScript {
    let first = plain()
    let more = (0..<random.number(1...20)).flatMap { _ in
      random.chance(30) ? random.bytes(40) : plain().pieces[0]
    }
    return AnswerScript(first.pieces[0] + more)
  }
}
