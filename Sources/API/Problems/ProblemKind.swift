import HTTPTypes

/// The kinds of problem documents, each with its own `type` and status.
enum ProblemKind: String, Sendable {
  case malformedRequest = "malformed-request"
  case slowHead = "slow-head"
  case headTooLarge = "head-too-large"
  case tooManyRequests = "too-many-requests"
  case malformedText = "malformed-text"
  case misdirected
  case crossSite = "cross-site"
  case unauthenticated
  case forbidden
  case foreignEvent = "foreign-event"
  case invalidParameter = "invalid-parameter"
  case invalidBody = "invalid-body"
  case malformedPreferences = "malformed-preferences"
  case unacceptablePreferences = "unacceptable-preferences"
  case malformedEvent = "malformed-event"
  case unacceptableEvent = "unacceptable-event"
  case conflictingEvent = "conflicting-event"
  case tooMuchWaiting = "too-much-waiting"
  case outdated = "outdated"
  case unknownPath = "unknown-path"
  case unknownRecipient = "unknown-recipient"
  case unknownNotification = "unknown-notification"
  case unknownDeadLetter = "unknown-dead-letter"
  case unknownSink = "unknown-sink"
  case unknownNode = "unknown-node"
  case noFleet = "no-fleet"
  case undrainable
  case unknownToken = "unknown-token"
  case unknownPreset = "unknown-preset"
  case noPushKey = "no-push-key"
  case noPublicURL = "no-public-url"
  case lostCursor = "lost-cursor"
  case unknownLink = "unknown-link"
  case conflictingLink = "conflicting-link"
  case expiredLink = "expired-link"
  case repeatedLink = "repeated-link"
  case wrongMethod = "wrong-method"
  case slowBody = "slow-body"
  case bodyTooLarge = "body-too-large"
  case lineTooLong = "line-too-long"
  case unsupportedMediaType = "unsupported-media-type"
  case unavailable = "unavailable"
  case storageFull = "storage-full"
  case noBackup = "no-backup"
  case reloadRejected = "reload-rejected"
  case unexpected = "unexpected"

  /// The problem's `type` (RFC 9457, section 3.1.1).
  var type: String { "urn:chimed:problem:\(rawValue)" }

  var title: String {
    switch self {
    case .malformedRequest: "This is not a request"
    case .slowHead: "The head of the request did not arrive in time"
    case .headTooLarge: "The head of the request is too large"
    case .tooManyRequests: "There are too many requests"
    case .malformedText: "The text cannot be read"
    case .misdirected: "This is not a host name of the service"
    case .crossSite: "A page of another site sent this"
    case .unauthenticated: "The caller is not authenticated"
    case .forbidden: "The caller has no access to this"
    case .foreignEvent: "The caller must not report this event"
    case .invalidParameter: "A part of the address is not acceptable"
    case .invalidBody: "A part of the body is not acceptable"
    case .malformedPreferences: "The body is not a document of preferences"
    case .unacceptablePreferences: "The preferences are not acceptable"
    case .malformedEvent: "This is not an event"
    case .unacceptableEvent: "The event is not acceptable"
    case .conflictingEvent: "The event contradicts an earlier one"
    case .tooMuchWaiting: "Too much is already pending for the recipient"
    case .outdated: "The document has changed since it was read"
    case .unknownPath: "There is nothing at this path"
    case .unknownDeadLetter: "There is no such dead letter"
    case .unknownSink: "There is no such sink"
    case .unknownNode: "There is no such node"
    case .noFleet: "There is no fleet"
    case .undrainable: "The node cannot be drained"
    case .unknownToken: "There is no such token"
    case .unknownRecipient: "The recipient is not known"
    case .unknownNotification: "The recipient has had no such notification"
    case .unknownPreset: "There is no such preset"
    case .noPushKey: "There is no web push"
    case .noPublicURL: "There is no public address"
    case .lostCursor: "The stream cannot continue from that event"
    case .unknownLink: "The link was not created by the service"
    case .conflictingLink: "The link can change nothing"
    case .expiredLink: "The link is no longer valid"
    case .repeatedLink: "The link was used before"
    case .wrongMethod: "The method does not fit the path"
    case .slowBody: "The body did not arrive in time"
    case .bodyTooLarge: "The body is too large"
    case .lineTooLong: "The line is too long"
    case .unsupportedMediaType: "The content type is not supported"
    case .unavailable: "The service cannot answer now"
    case .storageFull: "The service's storage is full"
    case .noBackup: "The service cannot back up its store"
    case .reloadRejected: "The new configuration was rejected"
    case .unexpected: "The service failed unexpectedly"
    }
  }

  var status: HTTPResponse.Status {
    switch self {
    case .malformedRequest, .malformedText, .invalidParameter, .malformedEvent,
      .malformedPreferences:
      .badRequest
    case .misdirected: .misdirectedRequest
    case .unauthenticated: .unauthorized
    case .crossSite, .forbidden, .foreignEvent: .forbidden
    case .unknownPath, .unknownRecipient, .unknownNotification, .unknownToken, .unknownPreset,
      .unknownLink, .unknownDeadLetter, .unknownSink, .unknownNode,
      .noFleet, .noPushKey, .noPublicURL:
      .notFound
    case .lostCursor, .expiredLink: .gone
    case .wrongMethod: .methodNotAllowed
    case .headTooLarge: .requestHeaderFieldsTooLarge
    case .tooManyRequests, .tooMuchWaiting: .tooManyRequests
    case .slowHead, .slowBody: .requestTimeout
    case .conflictingEvent, .conflictingLink, .repeatedLink, .undrainable: .conflict
    case .outdated: .preconditionFailed
    case .bodyTooLarge, .lineTooLong: .contentTooLarge
    case .unsupportedMediaType: .unsupportedMediaType
    case .unacceptableEvent, .unacceptablePreferences, .invalidBody, .reloadRejected:
      .unprocessableContent
    case .unexpected: .internalServerError
    case .unavailable: .serviceUnavailable
    case .noBackup: .notImplemented
    case .storageFull: .init(code: 507, reasonPhrase: "Insufficient Storage")
    }
  }

  /// Whether the problem may be found before the body has been read to its end.
  var leavesBodyUnread: Bool {
    switch self {
    case .malformedRequest, .slowHead, .headTooLarge, .tooManyRequests, .invalidParameter,
      .misdirected, .crossSite, .unauthenticated, .forbidden, .unknownPath, .wrongMethod,
      .slowBody,
      .bodyTooLarge,
      .unsupportedMediaType:
      true
    default: false
    }
  }
}
