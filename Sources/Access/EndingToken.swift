package import CivilTime

/// An app's token, if the token expires soon or has expired, and the command that creates its
/// successor.
package struct EndingToken: Hashable, Sendable {
  package var identifier: String
  package var name: String
  package var scope: AccessScope
  package var created: Instant
  package var expiry: Instant

  /// The longest time for which a token is reported before its expiry, and the time for which it is
  /// reported after its expiry.
  package static let notice = TimeSpan.days(14)
  /// The longest lifetime of a token for one task, such as a session of the console. The expiry of
  /// such a token is not reported.
  package static let sessionMax = TimeSpan.days(1)

  /// Returns nil for a token that is never reported. These are the tokens of recipients (rule H17)
  /// and of sessions, tokens without an expiry, and revoked tokens.
  package init?(_ token: TokenRecord) {
    guard let expiry = token.expiry, token.revoked == nil, token.scope.recipient == nil,
      expiry - token.created > Self.sessionMax
    else { return nil }
    (identifier, name, scope) = (token.identifier, token.name, token.scope)
    (created, self.expiry) = (token.created, expiry)
  }

  /// Whether the token is reported at an instant.
  package func isReported(at now: Instant) -> Bool {
    start <= now && !isReportOver(at: now)
  }

  /// Whether the token's report has ended.
  package func isReportOver(at now: Instant) -> Bool { expiry + Self.notice <= now }

  private var lifetime: TimeSpan { expiry - created }

  /// The start of the report: `notice` before the expiry, or half the lifetime before it if that is
  /// shorter.
  private var start: Instant {
    expiry - min(Self.notice, TimeSpan(milliseconds: lifetime.milliseconds / 2))
  }

  /// Whether the token is no longer valid.
  package func isExpired(at now: Instant) -> Bool { expiry <= now }

  /// When a report about the token begins, changes or ends next; nil if never.
  package func nextChange(after now: Instant) -> Instant? {
    [start, expiry, expiry + Self.notice].first { $0 > now }
  }

  /// The report in words, such as `token aahme3ivwr "backend" expires at 2026-03-02T21:00:00.000Z`.
  package func sentence(at now: Instant) -> String {
    "token \(identifier) \"\(name)\" "
      + (isExpired(at: now) ? "has expired: it was valid until \(expiry)" : "expires at \(expiry)")
  }

  /// The command line that creates a token of the same name, scope and lifetime.
  package var successor: String {
    let options = scopeOptions + (lifetime == TokenRecord.defaultLifetime ? "" : lifetimeOption)
    let command = "chimectl token create"
    // Without "--", a name that begins with "-" would be read as an option.
    return name.hasPrefix("-")
      ? "\(command) \(options) -- \(Self.quoted(name))"
      : "\(command) \(Self.quoted(name)) \(options)"
  }

  private var scopeOptions: String {
    let types = scope.grant?.types ?? []
    let list = types.isEmpty ? "" : " --types " + Self.quoted(types.joined(separator: ","))
    let source = scope.grant?.source.map { " --source=" + Self.quoted($0) } ?? ""
    return "--scope \(scope.name)" + list + source
  }

  private var lifetimeOption: String {
    let (days, rest) = lifetime.milliseconds
      .quotientAndRemainder(dividingBy: TimeSpan.days(1).milliseconds)
    return " --for " + (rest == 0 ? "\(days)d" : lifetime.iso8601)
  }

  /// Returns the text as one word of a command line, in quotes if a shell needs them.
  private static func quoted(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."),
        UInt8(ascii: ","):
        true
      default: false
      }
    }
    if isPlain { return text }
    // A Character may be a quote with combining scalars after it, so scalars are replaced.
    let escaped = text.unicodeScalars.map { $0 == "'" ? #"'\''"# : String($0) }
    return "'\(escaped.joined())'"
  }
}
