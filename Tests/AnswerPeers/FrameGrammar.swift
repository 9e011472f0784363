internal import TestSupport

/// Generates answers in HTTP/2 frames (RFC 9113), from good ones to malicious ones.
package struct FrameGrammar {
  private var random: SplitMix64
  private let stream: UInt32

  /// - Parameter stream: the stream of the request.
  package init(seed: UInt64, stream: UInt32) {
    random = SplitMix64(seed: seed)
    self.stream = stream
  }

  package static func healthy(_ stream: UInt32, body: String = "{}") -> [UInt8] {
    frame(.headers, 0x4, stream, fields([(":status", "200")]))
      + frame(.data, 0x1, stream, Array(body.utf8))
  }

  package mutating func script() -> AnswerScript {
    var script: AnswerScript =
      switch random.number(0...9) {
      case 0...2: AnswerScript(headers(status(), ends: false) + data(ends: true))
      case 3: AnswerScript(headers(status(), ends: true))
      case 4: AnswerScript(oddHeaders())
      case 5: AnswerScript(interimAnswers())
      case 6: endless()
      case 7, 8: AnswerScript((0..<random.number(1...3)).flatMap { _ in unexpectedFrame() })
      default: AnswerScript(healthyAnswer() + unexpectedFrame() + healthyAnswer())
      }
    if random.chance(15) { script.damage(&random) }
    if random.chance(40) { script.split(&random) }
    if script.endless.isEmpty, !random.chance(8) {
      script.ending = random.pick([.stay, .close, .close, .halfClose, .reset])
    }
    return script
  }

  private func healthyAnswer() -> [UInt8] { Self.healthy(stream) }

  // MARK: - Frames

  enum Kind: UInt8, CaseIterable {
    case data, headers, priority, reset, settings, push, ping, goAway, window, continuation, service
    case other, origin
  }

  static func frame(
    _ kind: Kind, _ flags: UInt8, _ stream: UInt32, _ payload: [UInt8], length: Int? = nil
  ) -> [UInt8] {
    let length = length ?? payload.count
    let head = [length >> 16, length >> 8, length].map { UInt8($0 & 255) }
    return head + [kind.rawValue, flags] + bigEndian(stream) + payload
  }

  static func bigEndian(_ number: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  /// Encodes literal fields that are not added to the dynamic table (RFC 7541, section 6.2.2).
  static func fields(_ fields: [(String, String)]) -> [UInt8] {
    fields.flatMap { [0] + text($0.0) + text($0.1) }
  }

  private static func text(_ text: String) -> [UInt8] {
    let bytes = Array(text.utf8)
    guard bytes.count >= 127 else { return [UInt8(bytes.count)] + bytes }
    var (prefix, rest): ([UInt8], Int) = ([127], bytes.count - 127)
    while rest >= 128 {
      prefix.append(UInt8(rest % 128) | 128)
      rest /= 128
    }
    return prefix + [UInt8(rest)] + bytes
  }

  // MARK: - Answers

  private mutating func status() -> String {
    if random.chance(50) { return random.pick(["200", "400", "410", "429", "500", "503"]) }
    if random.chance(50) {
      let digits = String(random.number(0...999))
      return String(repeating: "0", count: 3 - digits.count) + digits
    }
    return random.pick([
      "", "0", "20", "2000", "99999", "-20", "+200", "2 0", " 200", "2e2", "99999999999999999999",
      "٢٠٠", "\u{0}",
    ])
  }

  private mutating func headers(_ status: String, ends: Bool) -> [UInt8] {
    var list = [(":status", status)]
    for _ in 0..<random.number(0...3) { list.append(field()) }
    return Self.frame(.headers, ends ? 0x5 : 0x4, stream, Self.fields(list))
  }

  private mutating func field() -> (String, String) {
    random.pick([
      ("retry-after", "7"), ("retry-after", "-1"), ("retry-after", "99999999999999999999999"),
      ("retry-after", "Fri, 31 Dec 9999 23:59:59 GMT"), ("content-length", "-1"),
      ("content-length", "99999999999999999999"), ("content-length", "3"),
      ("content-length", "3,3"),
      ("Upper", "case"), ("", "nameless"), ("x\u{0}", "\u{0}"), ("connection", "close"),
      ("transfer-encoding", "chunked"), (":status", "200"), (":path", "/"), (":unknown", ""),
      ("x-\u{e9}", "\u{fc}"), ("x", String(repeating: "x", count: 15_000)), ("te", "x"),
    ])
  }

  private mutating func data(ends: Bool) -> [UInt8] {
    let flags: UInt8 = (ends ? 1 : 0) | (random.chance(20) ? 8 : 0)
    let body = random.pick([
      [], Array("{}".utf8), Array(#"{"reason":"x","timestamp":99999999999999999999}"#.utf8),
      Array(#"{"error":{"status":"X","details":[{"errorCode":1}]}}"#.utf8),
    ])
    return Self.frame(.data, flags, stream, body + random.bytes(random.number(0...900)))
  }

  /// An invalid head: without a status, with a repeated or late status, or with a broken encoding.
  private mutating func oddHeaders() -> [UInt8] {
    let lists: [[(String, String)]] = [
      [], [("server", "x")], [(":status", "200"), (":status", "500")],
      [("server", "x"), (":status", "200")], [(":status", "200"), (":method", "POST")],
    ]
    let flags = random.pick([0x4, 0x5, 0x0, 0x1, 0x2c, 0xff].map { UInt8($0) })
    let packed = random.pick([
      Self.fields(random.pick(lists)), random.bytes(40), [0x80],
      [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],
      [0x3f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f], [0x20],
      [0x00, 0x85, 0xff, 0xff, 0xff, 0xff, 0xff],
      [0x88] + Self.fields([field()]),
    ])
    return Self.frame(.headers, flags, stream, packed)
      + (random.chance(50) ? Self.frame(.continuation, 0x4, stream, packed) : data(ends: true))
  }

  /// One or many interim answers (1xx), with or without a final answer.
  private mutating func interimAnswers() -> [UInt8] {
    let interim = random.pick(["100", "103", "101", "199", "000"])
    let head = Self.frame(.headers, 0x4, stream, Self.fields([(":status", interim)]))
    let last = Self.frame(.headers, 0x5, stream, Self.fields([(":status", interim)]))
    let heads = (0..<random.pick([1, 2, 2_000])).flatMap { _ in head }
    return heads + random.pick([last, healthyAnswer(), []])
  }

  private mutating func endless() -> AnswerScript {
    var script = AnswerScript(headers("200", ends: false))
    switch random.number(0...4) {
    case 0: script.endless = Self.frame(.data, 0, stream, random.bytes(16_384))
    case 1:
      script.endless = (0..<1_000).flatMap { _ in
        Self.frame(.ping, 0, 0, Array(repeating: 7, count: 8))
      }
    case 2: script.endless = (0..<1_000).flatMap { _ in Self.frame(.settings, 0, 0, []) }
    case 3: script.endless = (0..<1_000).flatMap { _ in Self.frame(.data, 0, stream, []) }
    default:
      script = AnswerScript(Self.frame(.headers, 0, stream, Self.fields([(":status", "200")])))
      script.endless = (0..<50).flatMap { _ in
        Self.frame(.continuation, 0, stream, random.bytes(9_000))
      }
    }
    return script
  }

  /// A frame that is always invalid, or is invalid at this position or on this stream.
  private mutating func unexpectedFrame() -> [UInt8] {
    let kind = random.pick(Kind.allCases)
    let streams: [UInt32] = [
      0, stream, stream, stream + 2, stream &+ 1, 2, 0x7fff_ffff, 0xffff_ffff,
    ]
    let payload = random.pick([
      [], Self.bigEndian(0), Self.bigEndian(0x7fff_ffff), Self.bigEndian(0xffff_ffff),
      random.bytes(8), random.bytes(random.number(0...300)),
      Self.bigEndian(stream) + Self.bigEndian(0),
      Self.bigEndian(0) + Self.bigEndian(0) + random.bytes(9), [0, 3] + Self.bigEndian(0),
      [0, 4] + Self.bigEndian(0xffff_ffff), [0, 5] + Self.bigEndian(1),
      [0, 1] + Self.bigEndian(0), [0, 6] + Self.bigEndian(0), [255, 255, 255],
    ])
    let length = random.chance(10) ? random.pick([0, 16_385, 0xff_ffff]) : nil
    let flags = random.chance(50) ? 0 : UInt8(random.number(0...255))
    return Self.frame(kind, flags, random.pick(streams), payload, length: length)
  }
}
