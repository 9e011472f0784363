package import CivilTime

/// A token of an app that expires soon or has expired, and the command that creates its successor.
package struct EndingToken: Hashable, Sendable {
  package var identifier: String
  package var name: String
  package var scope: AccessScope
  package var created: Instant
  package var expiry: Instant

  /// A token is reported for so long before and after its expiry. A token with a lifetime up to
  /// this was created for one task, such as a session of the console, and is not reported.
  package static let notice = TimeSpan.days(14)

  /// Nil for a token that is never reported: one of a recipient (rule H5), one without an expiry,
  /// or a revoked one.
  package init?(_ token: TokenRecord) {
    guard let expiry = token.expiry, token.revoked == nil, token.scope.recipient == nil,
      expiry - token.created > Self.notice
    else { return nil }
    (identifier, name, scope) = (token.identifier, token.name, token.scope)
    (created, self.expiry) = (token.created, expiry)
  }

  /// Whether the token is reported at an instant.
  package func isReported(at now: Instant) -> Bool {
    expiry - Self.notice <= now && now < expiry + Self.notice
  }

  package func isExpired(at now: Instant) -> Bool { expiry <= now }

  /// When a report about the token begins, changes or ends next; nil if never.
  package func nextChange(after now: Instant) -> Instant? {
    [expiry - Self.notice, expiry, expiry + Self.notice].first { $0 > now }
  }

  /// "token aahme3ivwr \"backend\" expires at 2026-03-02T21:00:00.000Z"
  package func sentence(at now: Instant) -> String {
    "token \(identifier) \"\(name)\" "
      + (isExpired(at: now) ? "has expired: it was valid until \(expiry)" : "expires at \(expiry)")
  }

  /// The command line that creates a token of the same name, scope and lifetime in days.
  package var successor: String {
    let (lifetime, day) = (expiry - created, TimeSpan.days(1))
    let span =
      lifetime == TokenRecord.defaultLifetime
      ? "" : " --for \(lifetime.milliseconds / day.milliseconds)d"
    return "chimectl token create \(Self.quoted(name)) --scope \(scope.text)\(span)"
  }

  /// The text as one word of a shell.
  private static func quoted(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."):
        true
      default: false
      }
    }
    return isPlain ? text : "'\(text.replacing("'", with: #"'\''"#))'"
  }
}
