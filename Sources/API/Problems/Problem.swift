import Access
import Engine
import HTTPTypes
import JSON
import Reminders

/// An answer that says what is wrong and what to do about it (RFC 9457, rule H2).
package struct Problem: Error {
  let kind: ProblemKind
  /// One sentence for the person who reads it: what is wrong, where, what to do.
  let detail: String
  /// The member of the document concerned, such as `data.timezone`.
  let path: String?
  let headers: HTTPFields

  init(_ kind: ProblemKind, _ detail: String, path: String? = nil, headers: HTTPFields = [:]) {
    self.kind = kind
    self.detail = detail
    self.path = path
    self.headers = headers
  }
}

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

extension Problem {
  /// Why an event was not taken in.
  init(_ refusal: Refusal) {
    let kind: ProblemKind =
      switch refusal.kind {
      case .malformed: .malformedEvent
      case .unacceptable: .unacceptableEvent
      case .conflict: .conflictingEvent
      case .overfull: .tooMuchWaiting
      }
    self.init(kind, refusal.description, path: refusal.path.isEmpty ? nil : refusal.path)
  }

  /// Why preferences were not taken in, by the paths of their own document, whether they themselves
  /// were refused or the event that they become.
  init(inPreferences refusal: Refusal) {
    let path = String(refusal.path.trimmingPrefix("data."))
    let kind: ProblemKind? =
      switch refusal.kind {
      case .malformed: .malformedPreferences
      case .unacceptable: .unacceptablePreferences
      case .conflict, .overfull: nil
      }
    guard let kind else {
      self.init(refusal)
      return
    }
    self.init(
      kind, Refusal(refusal.kind, path: path, refusal.reason).description,
      path: path.isEmpty ? nil : path)
  }

  /// Why a document could not be read.
  init(_ error: JSONError) {
    self.init(.malformedText, "\(error); nothing was taken in", path: error.path)
  }

  /// Why a line of a stream could not be read; the line's own number is told beside it.
  init(inLine error: JSONError) {
    let place = error.column.map { "column \($0): \(error.reason)" }
    self.init(.malformedText, place ?? error.description, path: error.path)
  }

  init(_ error: UnfinishedPlan) {
    self.init(.unexpected, error.description)
  }

  init(_ error: ServiceUnavailable) {
    switch error.kind {
    case .storageFull: self.init(.storageFull, error.description)
    case .noBackup: self.init(.noBackup, error.description)
    case .failed: self.init(.unexpected, error.description)
    case .stopping, .storeLocked:
      self.init(.unavailable, error.description, headers: [.retryAfter: "5"])
    case .clockBehind: self.init(.unavailable, error.description, headers: [.retryAfter: "60"])
    case .busy: self.init(.tooManyRequests, error.description, headers: [.retryAfter: "5"])
    case .overloaded, .elsewhere:
      self.init(.unavailable, error.description, headers: [.retryAfter: "1"])
    }
  }
}
