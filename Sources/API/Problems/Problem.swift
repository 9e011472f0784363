import Access
import Engine
import HTTPTypes
import JSON
import Reminders

/// An error response with its fault and its remedy (RFC 9457, rule H2).
package struct Problem: Error {
  let kind: ProblemKind
  /// One sentence for the user: the position, the fault and the remedy.
  let detail: String
  /// The path of the faulty member or parameter, such as `data.timezone`.
  let path: String?
  /// All faults of a refused catalog, configuration or calendar; empty for other problems.
  let faults: [Fault]
  let headers: HTTPFields

  init(
    _ kind: ProblemKind, _ detail: String, path: String? = nil, faults: [Fault] = [],
    headers: HTTPFields = [:]
  ) {
    self.kind = kind
    self.detail = detail
    self.path = path
    self.faults = faults
    self.headers = headers
  }

  /// Whether the cause is the service's state and not the request.
  var isServiceFault: Bool { kind.status.kind == .serverError }
}

/// Refusals of authentication and authorization (rule H1).
extension Problem {
  /// The refusal of an invalid token (RFC 6750, section 3).
  ///
  /// - Parameter detail: must not contain any part of the token.
  init(invalidToken detail: String) {
    self.init(
      .unauthenticated, detail,
      headers: [.wwwAuthenticate: "Bearer realm=\"chimed\", error=\"invalid_token\""])
  }

  /// The refusal of a request without a token. The challenge has no error code (RFC 6750, section
  /// 3.1).
  static let noToken = Problem(
    .unauthenticated,
    "a token is needed: send \"Authorization: Bearer TOKEN\"; chimectl token create makes one",
    headers: [.wwwAuthenticate: "Bearer realm=\"chimed\""])

  static let foreignRecipient = Problem(
    .forbidden,
    "your token is for another recipient; use a token of this recipient, or one with the scope "
      + "admin or support")

  static let foreignEvent = Problem(
    .foreignEvent, "the event's subject is not the recipient of your token", path: "subject")

  static let erasureByEvent = Problem(
    .foreignEvent,
    "an erasure cannot be undone, so a token with the scope support cannot report one; use a "
      + "token with the scope admin, or connect to the Unix socket as an administrator",
    path: "type")

  /// The refusal of a caller whose scope lacks a right that the operation requires.
  init(_ scope: AccessScope, lacks right: AccessScope.Right) {
    let limitation = scope.recipient == nil ? "has the scope \(scope.name)" : "is for one recipient"
    self.init(
      .forbidden,
      "your token \(limitation), but this needs a token with the scope "
        + "\(right.scopes.joined(separator: " or ")), or an administrator on the Unix socket")
  }
}

extension Problem {
  /// The refusal of an event.
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

  /// The refusal of a preferences document, or of an event that the service made from it. The
  /// refusal of an event must be converted by `inBody` first.
  init(inPreferences refusal: Refusal) {
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
    self.init(kind, refusal.description, path: refusal.path.isEmpty ? nil : refusal.path)
  }

  /// The syntax error of a document.
  init(_ error: JSONError) {
    self.init(.malformedText, "\(error); nothing was changed", path: error.path)
  }

  /// The syntax error of a line of a stream. The detail has no line number, because the result of
  /// the line has it.
  init(inLine error: JSONError) {
    let position = error.column.map { "column \($0): \(error.reason)" }
    self.init(.malformedText, position ?? error.description, path: error.path)
  }

  init(_ error: UnfinishedPlan) {
    self.init(.unexpected, error.description)
  }

  init(_ error: ServiceUnavailable) {
    switch error.kind {
    case .storageFull: self.init(.storageFull, error.description, headers: [.retryAfter: "60"])
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
