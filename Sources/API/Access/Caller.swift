import Access

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
