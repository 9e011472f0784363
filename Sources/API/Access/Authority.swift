import Access
import CivilTime
import Reminders

/// Whom a request is for, as the field Host or an absolute target names them: a host and perhaps a
/// port (RFC 3986, sections 3.2.2 and 3.2.3). User information is none of it (RFC 9110, 4.2.4).
struct Authority: Hashable, Sendable {
  /// In lower case; an IPv6 address without its brackets; empty if nobody is named.
  let host: String
  let port: UInt16?

  /// Nil for what is no authority.
  init?(_ text: some StringProtocol) {
    let (host, rest): (String, Substring)
    if text.first == "[" {
      guard let end = text.firstIndex(of: "]") else { return nil }
      host = String(text[..<end].dropFirst())
      rest = Substring(text[text.index(after: end)...])
      guard TCPAddress.isV6(host) else { return nil }
    } else {
      let end = text.firstIndex(of: ":") ?? text.endIndex
      host = String(text[..<end])
      rest = Substring(text[end...])
      guard Self.isName(host.utf8) else { return nil }
    }
    guard rest.isEmpty || rest.first == ":" else { return nil }
    let digits = rest.dropFirst()
    guard digits.utf8.allSatisfy(Self.isDigit) else { return nil }
    port = UInt16(digits)
    guard port != nil || digits.isEmpty else { return nil }
    self.host = host.lowercased()
  }

  /// Whether both lead to the same place where `scheme` is spoken.
  func isSame(as other: Authority, in scheme: String) -> Bool {
    let usual: UInt16 = scheme == "https" ? 443 : 80
    return host == other.host && (port ?? usual) == (other.port ?? usual)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  /// A registered name or an IPv4 address; names in other scripts go by their ASCII form.
  private static func isName(_ bytes: String.UTF8View) -> Bool {
    var hexDigits = 0
    for byte in bytes {
      if hexDigits > 0 {
        guard Character(Unicode.Scalar(byte)).isHexDigit else { return false }
        hexDigits -= 1
      } else if byte == UInt8(ascii: "%") {
        hexDigits = 2
      } else if !isPlain(byte) {
        return false
      }
    }
    return hexDigits == 0
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    default: isDigit(byte) || marks.contains(byte)
    }
  }

  private static let marks = Array("-._~!$&'()*+,;=".utf8)
}

/// Who makes a request, as far as it matters.
struct Caller: Sendable {
  /// What they may ask for.
  let scope: AccessScope
  /// Who they are, for who looks at what was changed (rule H5).
  let name: String
  /// Whether the system vouches for them, not something they bring along.
  let isLocal: Bool
  /// What distinguishes the token they bring from others; nil if they bring none.
  let bearer: String?
  /// Whether they are not to see what people are told, as another node has found; nil where that is
  /// for this one to find.
  var hidesTexts: Bool?
  /// The instant at which another node received the request; nil if this node did. An event without
  /// a time has this one, whichever node takes it.
  var arrival: Instant?

  /// Refuses who lacks a right to what is nobody's own (rule H5).
  func check(_ right: AccessScope.Right) throws(Problem) {
    guard scope.has(right) else { throw Problem(scope, lacks: right) }
  }

  /// The recipient whose things a request is about. Whether there is such a recipient has no part
  /// in it, so a refusal tells nothing.
  ///
  /// - Parameter name: the id that the request gives, if it does.
  func recipient(named name: String?) throws(Problem) -> String {
    switch (scope, name) {
    case (.recipient(let own), let name):
      guard scope.covers(name ?? own) else { throw Problem.foreign }
      return own
    case (.observer, _): throw Problem(scope, lacks: .support)
    case (.administrator, nil), (.support, nil):
      throw Problem(
        .invalidParameter, "who asks for others has to say whose; add ?recipient=ID",
        path: "recipient")
    case (.administrator, let name?), (.support, let name?):
      if AccessScope.isRecipient(name) { return name }
      throw Problem(
        .invalidParameter, "a recipient's id has 1 to 128 bytes and no control characters")
    }
  }
}

extension AccessScope {
  /// Refuses events that whoever has this scope may not report (rule E7).
  func check(_ events: [Event], in catalog: Catalog) throws(Problem) {
    for event in events {
      if let problem = problem(with: event, in: catalog) { throw problem }
    }
  }

  /// Why an event is not theirs to report; nil where it is.
  func problem(with event: Event, in catalog: Catalog) -> Problem? {
    if self == .administrator { return nil }
    guard covers(event.recipient) else { return .foreignEvent }
    if self == .support { return event.content.isErasure ? .erasureByEvent : nil }
    guard let refusal = catalog.refusalOfOwnReport(event) else {
      return nil
    }
    return Problem(.foreignEvent, refusal.description, path: refusal.path)
  }
}

extension Event.Content {
  var isErasure: Bool {
    if case .erasure = self { true } else { false }
  }
}
