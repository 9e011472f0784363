import Access
import HTTPTypes
import HummingbirdCore

/// A method and a path of the interface, with its access rule and its handler.
struct Route: Sendable {
  /// The callers that may request the resource (rule H1), and the handler. What else a handler
  /// needs to know about the caller is in `Call.caller`, which is nil for a public resource.
  enum Answer: Sendable {
    /// A public resource; callers are not authenticated.
    case everyone(@Sendable (Call) async throws -> Response)
    /// A service-wide resource that requires the given right (rule H5).
    case service(AccessScope.Right, @Sendable (Call) async throws -> Response)
    /// A resource about the `{recipient}` of the path, for callers with the given right, which the
    /// recipient's own token lacks.
    case person(AccessScope.Right, @Sendable (Call, String) async throws -> Response)
    /// A recipient's own resource. The recipient is the `{recipient}` of the path or else the
    /// caller. Callers that act for others name the recipient with the parameter `recipient`.
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
  /// The names of the variable segments, in order.
  let names: [String]
  /// The OpenAPI description.
  let operation: Operation
  let answer: Answer
  /// Whether pages of any site may request it, as does a link in an e-mail. Then the address has
  /// to contain all that authorizes the request.
  let isOpenedFromElsewhere: Bool

  /// - Parameter template: the path. `{recipient}` and `{customer}` are a recipient's id, and other
  ///   names in braces are other variables.
  init(
    _ method: HTTPRequest.Method, _ template: String, _ operation: Operation, answer: Answer,
    isOpenedFromElsewhere: Bool = false
  ) {
    self.method = method
    self.template = template
    self.operation = operation
    let path = RouteTable.segments(of: template)
    names = path.filter { $0.first == "{" }.map { String($0.dropFirst().dropLast()) }
    segments = path.map { segment in
      switch segment {
      case "{recipient}", "{customer}": .recipient
      case let segment where segment.first == "{": .variable
      default: .constant(String(segment))
      }
    }
    self.answer = answer
    self.isOpenedFromElsewhere = isOpenedFromElsewhere
  }

  /// The accepted query parameters.
  var query: [Operation.Parameter] { operation.query + (hasRecipientParameter ? [.recipient] : []) }

  /// Whether callers that act for others name the recipient in the query.
  var hasRecipientParameter: Bool {
    if case .recipient = answer { !segments.contains(.recipient) } else { false }
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

/// Finds the route for a method and a path.
struct RouteTable: Sendable {
  let routes: [Route]
  private let known: KnownPaths

  init(routes: [Route]) {
    self.routes = routes
    known = KnownPaths(routes.map(\.template))
  }

  static func segments(of path: some StringProtocol) -> [Substring] {
    Substring(path).split(separator: "/", omittingEmptySubsequences: false).dropFirst().map { $0 }
  }

  /// Returns the route and the values of its variable segments. HEAD uses the route of GET.
  func route(
    _ method: HTTPRequest.Method, _ path: String
  ) throws(Problem) -> (route: Route, values: Route.Values) {
    let segments = Self.segments(of: path)
    let wanted = method == .head ? .get : method
    var allowed: [String] = []
    for route in routes {
      guard let values = route.values(in: segments) else { continue }
      if route.method == wanted { return (route, values) }
      allowed.append(route.method.rawValue)
      if route.method == .get { allowed.append("HEAD") }
    }
    throw allowed.isEmpty ? unknown(path) : wrong(method, path, allowed: allowed)
  }

  private func unknown(_ path: String) -> Problem {
    let near = known.nearest(3, to: path).joined(separator: ", ")
    return Problem(
      .unknownPath,
      "there is nothing at \(path.shortened); the nearest known are \(near), and /openapi.json "
        + "describes all")
  }

  private func wrong(
    _ method: HTTPRequest.Method, _ path: String, allowed: [String]
  ) -> Problem {
    let list = allowed.joined(separator: ", ")
    return Problem(
      .wrongMethod, "\(path.shortened) does not take \(method.rawValue); it takes \(list)",
      headers: [.allow: list])
  }
}
