import Access
import CivilTime
import Reminders

/// The host and optional port that a request names in its Host header or absolute target (RFC 3986,
/// sections 3.2.2 and 3.2.3). User information is not allowed (RFC 9110, 4.2.4).
struct Authority: Hashable, Sendable {
  /// The host in lower case; an IPv6 address without brackets; empty if the request names no host.
  let host: String
  let port: UInt16?

  /// Parses a text; nil if it is not an authority.
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

  /// Whether both authorities name the same host and port; the scheme gives the default port.
  func isSame(as other: Authority, in scheme: String) -> Bool {
    let defaultPort: UInt16 = scheme == "https" ? 443 : 80
    return host == other.host && (port ?? defaultPort) == (other.port ?? defaultPort)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  /// Whether the bytes are a registered name or IPv4 address. Only ASCII is accepted; a name in
  /// another script has an ASCII form (xn--…).
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
    default: isDigit(byte) || punctuation.contains(byte)
    }
  }

  private static let punctuation = Array("-._~!$&'()*+,;=".utf8)
}

/// The authenticated caller of a request.
struct Caller: Sendable {
  /// The resources that the caller may use.
  let scope: AccessScope
  /// A name for the journal (rule H5).
  let name: String
  /// Whether the kernel identified the caller's process, without credentials in the request.
  let isLocal: Bool
  /// Identifies the caller's token, or the subject of its web token; nil for a caller without one.
  let bearer: String?
  /// The decision of the node that forwarded the request: whether notification texts are hidden
  /// from the caller. Nil if this node decides.
  var hidesTexts: Bool?
  /// The instant at which another node received a forwarded request; nil for a request of a client.
  /// An event without a time gets this instant on every node.
  var arrival: Instant?

  /// Throws if the caller lacks a right to resources of the service (rule H5).
  func check(_ right: AccessScope.Right) throws(Problem) {
    guard scope.has(right) else { throw Problem(scope, lacks: right) }
  }

  /// The recipient that a request is about. The recipient need not exist, so a refusal does not
  /// reveal whether it exists.
  ///
  /// - Parameters:
  ///   - name: the id in the request, if there is one.
  ///   - isReport: whether the request only reports events. A token with the scope `report` may
  ///     name any recipient then.
  func recipient(named name: String?, isReport: Bool = false) throws(Problem) -> String {
    switch (scope, name) {
    case (.recipient(let ownRecipient), let name):
      guard scope.covers(name ?? ownRecipient) else { throw Problem.foreignRecipient }
      return ownRecipient
    case (.observer, _): throw Problem(scope, lacks: .support)
    case (.report, _) where !isReport: throw Problem(scope, lacks: .support)
    case (.administrator, nil), (.support, nil), (.report, nil):
      throw Problem(
        .invalidParameter, "recipient is missing; add ?recipient=ID",
        path: "recipient")
    case (.administrator, let name?), (.support, let name?), (.report, let name?):
      if AccessScope.isRecipient(name) { return name }
      throw Problem(
        .invalidParameter, "a recipient's id has 1 to 128 bytes and no control characters")
    }
  }
}

extension AccessScope {
  /// Throws for the first event that this scope may not report (rule E7).
  func check(_ events: [Event], in catalog: Catalog) throws(Problem) {
    for event in events {
      if let problem = problem(with: event, in: catalog) { throw problem }
    }
  }

  /// Returns the refusal of an event that this scope may not report; nil for any other event.
  func problem(with event: Event, in catalog: Catalog) -> Problem? {
    if self == .administrator { return nil }
    if let grant { return grant.problem(with: event) }
    guard covers(event.recipient) else { return .foreignEvent }
    if self == .support { return event.content.isErasure ? .erasureByEvent : nil }
    guard let refusal = catalog.refusalOfOwnReport(event) else {
      return nil
    }
    return Problem(.foreignEvent, refusal.description, path: refusal.path)
  }
}

extension ReportGrant {
  /// Returns the refusal of an event that this grant does not allow; nil for any other event (rule
  /// H19).
  func problem(with event: Event) -> Problem? {
    guard includes(source: event.source) else { return refusal(of: event, by: "source") }
    if names(type: event.type) { return nil }
    guard types.isEmpty else { return refusal(of: event, by: "type") }
    return event.content.isErasure ? refusal(of: event, by: "type") : nil
  }

  private func refusal(of event: Event, by path: String) -> Problem {
    let list = types.isEmpty ? "every type except recipient.deleted" : types.joined(separator: ", ")
    let origin = source.map { " from the source \"\($0.shortened)\"" } ?? ""
    return Problem(
      .foreignEvent,
      "your token has the scope report for \(list.shortened)\(origin); this event has the type "
        + "\"\(event.type.shortened)\" and the source \"\(event.source.shortened)\"; use a token "
        + "that was created for both, or one with the scope admin",
      path: path)
  }
}

extension Event.Content {
  var isErasure: Bool {
    if case .erasure = self { true } else { false }
  }
}
