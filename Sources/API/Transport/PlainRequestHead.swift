import HTTPTypes
import NIOCore

/// The head of a request in the form in which nearly all clients send it.
///
/// The form is a strict subset of HTTP/1.1, which the general decoder reads in the same way. A head
/// with anything unusual, such as a transfer coding, is not plain. The decoder and its handlers
/// cost several times as much as this parser.
struct PlainRequestHead {
  /// The length of the head in bytes, with the empty line at its end.
  private(set) var length = 0
  /// The length of the body in bytes.
  private(set) var bodyLength = 0
  /// The fields of a `POST` of events; nil for another request.
  private(set) var events: EventFields?

  /// The fields that matter for a request with events.
  struct EventFields {
    /// The valid value of the Host header; nil if there is none.
    var authority: String?
    var fields = HTTPFields()
  }

  private var hasHost = false
  private var hasLength = false

  /// The limits of a plain head, below those of the general decoder.
  static let lengthMax = 8_192
  private static let fieldCountMax = 64
  /// The maximum number of digits of a Content-Length.
  private static let digitsMax = 9

  /// Reads the head at the beginning of `bytes`; nil if the head is incomplete or not plain.
  ///
  /// - Parameter needsHost: whether a head without the Host header is not plain.
  init?(_ bytes: borrowing Span<UInt8>, needsHost: Bool) {
    var offset = 0
    guard readRequestLine(bytes, &offset) else { return nil }
    for _ in 0...Self.fieldCountMax {
      guard let end = Self.endOfLine(bytes, from: offset) else { return nil }
      let line = offset..<end
      offset = end + 2
      if line.isEmpty {
        length = offset
        if needsHost && !hasHost { return nil }
        return
      }
      guard readField(bytes, line) else { return nil }
    }
    return nil
  }

  // MARK: - Lines

  /// Returns the offset of the CR LF that ends a line. Returns nil if the line is incomplete, or
  /// has a control character or a byte beyond ASCII.
  private static func endOfLine(_ bytes: borrowing Span<UInt8>, from start: Int) -> Int? {
    var offset = start
    let limit = min(bytes.count, lengthMax)
    while offset < limit, bytes[offset] >= 0x20, bytes[offset] < 0x7f { offset += 1 }
    guard offset + 1 < limit, bytes[offset] == 0x0d, bytes[offset + 1] == 0x0a else { return nil }
    return offset
  }

  private mutating func readRequestLine(_ bytes: borrowing Span<UInt8>, _ offset: inout Int) -> Bool
  {
    guard let end = Self.endOfLine(bytes, from: 0) else { return false }
    offset = end + 2
    if Self.isEqual(bytes, 0..<end, Self.eventLine) {
      events = EventFields()
      return true
    }
    guard let method = Self.methods.first(where: { Self.hasPrefix(bytes, 0..<end, $0) }) else {
      return false
    }
    guard end > method.count + Self.version.count else { return false }
    let target = method.count..<(end - Self.version.count)
    guard bytes[target.lowerBound] == UInt8(ascii: "/"),
      Self.isEqual(bytes, target.upperBound..<end, Self.version)
    else { return false }
    return target.allSatisfy { bytes[$0] != UInt8(ascii: " ") }
  }

  /// The first line of a request with events.
  private static let eventLine = Array("POST \(EventRoute.path) HTTP/1.1".utf8)
  private static let version = Array(" HTTP/1.1".utf8)
  private static let methods = ["GET ", "POST ", "PATCH ", "PUT ", "DELETE ", "HEAD ", "OPTIONS "]
    .map { Array($0.utf8) }

  // MARK: - Fields

  /// - Returns: false if the field is not plain.
  private mutating func readField(_ bytes: borrowing Span<UInt8>, _ line: Range<Int>) -> Bool {
    var colon = line.lowerBound
    while colon < line.upperBound, Self.isToken(bytes[colon]) { colon += 1 }
    // Exactly one space precedes the value, and none follows it.
    guard colon > line.lowerBound, colon + 2 < line.upperBound,
      bytes[colon] == UInt8(ascii: ":"), bytes[colon + 1] == UInt8(ascii: " "),
      bytes[colon + 2] != UInt8(ascii: " "), bytes[line.upperBound - 1] != UInt8(ascii: " ")
    else { return false }
    let (name, value) = (line.lowerBound..<colon, (colon + 2)..<line.upperBound)
    switch Self.kind(bytes, name) {
    case .unusual: return false
    case .unimportant: return true
    case .length: return readLength(bytes, value)
    case .host: return readHost(Self.text(bytes, value))
    case .connection: return Self.text(bytes, value).lowercased() == "keep-alive"
    case .known(let name):
      events?.fields.append(HTTPField(name: name, value: Self.text(bytes, value)))
    case .other:
      guard events != nil else { return true }
      guard let name = HTTPField.Name(Self.text(bytes, name)) else { return false }
      events?.fields.append(HTTPField(name: name, value: Self.text(bytes, value)))
    }
    return true
  }

  private mutating func readLength(_ bytes: borrowing Span<UInt8>, _ value: Range<Int>) -> Bool {
    guard !hasLength, value.count <= Self.digitsMax else { return false }
    hasLength = true
    for offset in value {
      let digit = bytes[offset] &- UInt8(ascii: "0")
      guard digit < 10 else { return false }
      bodyLength = 10 * bodyLength + Int(digit)
    }
    return true
  }

  private mutating func readHost(_ text: String) -> Bool {
    guard !hasHost, Authority(text) != nil else { return false }
    hasHost = true
    events?.authority = text
    return true
  }

  private enum FieldKind {
    /// The field may change how the request is read, or what follows it.
    case unusual
    /// The field has no effect on a request with events.
    case unimportant
    case length, host, connection
    /// The field is passed to the route, and its name needs no parsing.
    case known(HTTPField.Name)
    /// The field is passed to the route, like any field without an entry in `kinds`.
    case other
  }

  private static func kind(_ bytes: borrowing Span<UInt8>, _ name: Range<Int>) -> FieldKind {
    for (known, kind) in kinds where isSame(bytes, name, known) { return kind }
    return .other
  }

  /// The kinds of fields by name, in lower case, the frequent ones first.
  private static let kinds: [(name: [UInt8], kind: FieldKind)] =
    named(.host, "host") + named(.known(.contentType), "content-type")
    + named(.length, "content-length") + named(.known(.authorization), "authorization")
    + named(.unimportant, "user-agent", "accept", "accept-encoding", "accept-language")
    + named(.connection, "connection")
    + named(
      .unusual, "expect", "transfer-encoding", "upgrade", "http2-settings", "keep-alive",
      "proxy-connection", "te", "trailer")

  private static func named(_ kind: FieldKind, _ names: String...) -> [([UInt8], FieldKind)] {
    names.map { (Array($0.utf8), kind) }
  }

  // MARK: - Bytes

  /// The characters of a field's name (RFC 9110, section 5.6.2), without the rare punctuation.
  private static func isToken(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// Whether the bytes of a range are a name, in any case. `name` is in lower case.
  private static func isSame(
    _ bytes: borrowing Span<UInt8>, _ range: Range<Int>, _ name: [UInt8]
  ) -> Bool {
    guard range.count == name.count else { return false }
    // The bit makes letters lower-case. It leaves digits and "-" unchanged, and turns no other
    // character of a token into one of them.
    return range.allSatisfy { bytes[$0] | 0x20 == name[$0 - range.lowerBound] }
  }

  private static func isEqual(
    _ bytes: borrowing Span<UInt8>, _ range: Range<Int>, _ other: [UInt8]
  ) -> Bool {
    range.count == other.count && hasPrefix(bytes, range, other)
  }

  private static func hasPrefix(
    _ bytes: borrowing Span<UInt8>, _ range: Range<Int>, _ prefix: [UInt8]
  ) -> Bool {
    guard range.count >= prefix.count else { return false }
    return prefix.indices.allSatisfy { bytes[range.lowerBound + $0] == prefix[$0] }
  }

  private static func text(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> String {
    String(unsafeUninitializedCapacity: range.count) { buffer in
      for offset in range { buffer[offset - range.lowerBound] = bytes[offset] }
      return range.count
    }
  }
}
