import Access
import HTTPTypes

/// Who may not ask for something is told why (rule H1).
extension Problem {
  /// What the request brings along does not hold (RFC 6750, section 3).
  ///
  /// - Parameter detail: must not hold any of it.
  init(invalidToken detail: String) {
    self.init(
      .unauthenticated, detail,
      headers: [.wwwAuthenticate: "Bearer realm=\"chimed\", error=\"invalid_token\""])
  }

  /// Nothing was brought along; a challenge without an error then (RFC 6750, section 3.1).
  static let noToken = Problem(
    .unauthenticated,
    "a token is needed: send \"Authorization: Bearer TOKEN\"; chimectl token create makes one",
    headers: [.wwwAuthenticate: "Bearer realm=\"chimed\""])

  static let foreign = Problem(
    .forbidden,
    "this is not about you: your token is for one recipient, and it is not this one; theirs may, "
      + "and one with the scope admin or support")

  static let foreignEvent = Problem(
    .foreignEvent, "the event is about another recipient than your token is for", path: "subject")

  static let erasureByEvent = Problem(
    .foreignEvent,
    "who is erased is gone for good, so your token, with the scope support, may not report it; "
      + "bring one with the scope admin, or connect to the Unix socket as an administrator",
    path: "type")

  /// Who asks may not do what no recipient owns.
  init(_ scope: AccessScope, lacks right: AccessScope.Right) {
    let own = scope.recipient == nil ? "has the scope \(scope.text)" : "is for one recipient"
    self.init(
      .forbidden,
      "your token \(own), and this takes one with the scope "
        + "\(right.scopes.joined(separator: " or ")), or an administrator at the Unix socket")
  }
}
