import HummingbirdCore

/// A request as its route gets it, with its address taken apart and decoded.
struct Call: Sendable {
  let request: Request
  let scope: RequestScope
  /// Nil where the route is everyone's, and nobody asked who it is.
  let caller: Caller?
  /// What the path has in the place of its variable segments, in order, but for `{recipient}`.
  let segments: [String]
  /// The query's parameters, each one that the route knows.
  let parameters: [String: String]
  /// What is to be told of it when it has changed something.
  let audit = AuditNote()
}
