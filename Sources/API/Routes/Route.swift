import Access
import HTTPTypes
import HummingbirdCore

/// A method and a path of the interface, with its access rule and its handler.
struct Route: Sendable {
  /// The callers that may request the resource (rule H1), and the handler. A handler finds further
  /// details of the caller in `Call.caller`, which is nil for a public resource.
  enum Answer: Sendable {
    /// A public resource; callers are not authenticated.
    case everyone(@Sendable (Call) async throws -> Response)
    /// A service-wide resource that requires the given right (rule H5).
    case service(AccessScope.Right, @Sendable (Call) async throws -> Response)
    /// A resource about the `{recipient}` of the path, for callers with the given right, which the
    /// recipient's own token lacks.
    case person(AccessScope.Right, @Sendable (Call, String) async throws -> Response)
    /// A recipient's own resource. The recipient is the `{recipient}` of the path. If the path has
    /// none, the recipient is the caller, or the parameter `recipient` of callers that act for
    /// others.
    case recipient(@Sendable (Call, String) async throws -> Response)
    /// A resource for any authenticated caller. The handler checks what the caller may get and do.
    case caller(@Sendable (Call, Caller) async throws -> Response)

    static func administrator(
      _ answer: @escaping @Sendable (Call) async throws -> Response
    ) -> Answer { .service(.administration, answer) }

    static func support(
      _ answer: @escaping @Sendable (Call) async throws -> Response
    ) -> Answer { .service(.support, answer) }

    static func observer(
      _ answer: @escaping @Sendable (Call) async throws -> Response
    ) -> Answer { .service(.observation, answer) }
  }

  /// The values of a path's variable segments.
  struct Values: Sendable {
    var recipient: Substring?
    /// The values of the other variable segments, in order.
    var segments: [Substring] = []
  }

  private enum Segment: Hashable {
    case constant(String)
    case variable
    case recipient
  }

  let method: HTTPRequest.Method
  /// The path, such as `/v1/recipients/{recipient}/pending`.
  let template: String
  private let segments: [Segment]
  /// The number of constant segments of the path.
  let constantCount: Int
  /// The names of the variable segments, in order.
  let variableNames: [String]
  /// The OpenAPI description.
  let operation: Operation
  let answer: Answer
  /// Whether pages of any site may request the resource, as a link in an e-mail does. Each request
  /// must itself contain all that authorizes it.
  let isOpenToOtherSites: Bool

  /// - Parameter template: the path. `{recipient}` and `{customer}` are a recipient's id, and other
  ///   names in braces are other variables.
  init(
    _ method: HTTPRequest.Method, _ template: String, _ operation: Operation, answer: Answer,
    isOpenToOtherSites: Bool = false
  ) {
    self.method = method
    self.template = template
    self.operation = operation
    let path = RouteTable.segments(of: template)
    variableNames = path.filter { $0.first == "{" }.map { String($0.dropFirst().dropLast()) }
    segments = path.map { segment in
      switch segment {
      case "{recipient}", "{customer}": .recipient
      case let segment where segment.first == "{": .variable
      default: .constant(String(segment))
      }
    }
    constantCount = path.count { $0.first != "{" }
    self.answer = answer
    self.isOpenToOtherSites = isOpenToOtherSites
  }

  /// The accepted query parameters.
  var query: [Operation.Parameter] { operation.query + (hasRecipientParameter ? [.recipient] : []) }

  /// Whether callers that act for others name the recipient in the query.
  var hasRecipientParameter: Bool {
    if case .recipient = answer { !segments.contains(.recipient) } else { false }
  }

  /// Whether the route accepts events, which a token with the scope `report` may send.
  var acceptsEvents: Bool {
    template == EventRoute.path || template == CalendarImportRoute.path
  }

  /// Whether the route serves a recipient's resource, accepts events, or returns the key for web
  /// push.
  var isForRecipients: Bool {
    switch answer {
    case .recipient: true
    case .caller: acceptsEvents || template == PushKeyRoute.path
    case .everyone, .service, .person: false
    }
  }

  /// Returns the values of the variable segments; nil if the path does not match.
  func values(in path: [Substring]) -> Values? {
    guard path.count == segments.count else { return nil }
    var values = Values()
    for (text, segment) in zip(path, segments) {
      switch segment {
      case .constant(let constant): if text != constant { return nil }
      case .variable: values.segments.append(text)
      case .recipient: values.recipient = text
      }
    }
    return values
  }
}
