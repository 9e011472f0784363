import Access
import HTTPTypes
import HummingbirdCore

/// One thing that can be asked for.
struct Route: Sendable {
  /// Whose the thing is, and so who may ask for it (rule H1), and what answers them. What was found
  /// out about the caller is handed to the answer, which has no other way to it.
  enum Answer: Sendable {
    /// Everyone's; nobody is asked who they are.
    case everyone(@Sendable (Call) async throws -> Response)
    /// Nobody's own, for who has the right to it (rule H5).
    case service(AccessScope.Right, @Sendable (Call) async throws -> Response)
    /// A recipient's, who stands in the path as `{recipient}`, but only others may ask for it.
    case person(AccessScope.Right, @Sendable (Call, String) async throws -> Response)
    /// A recipient's, by their id. It is the one that `{recipient}` in the path names, or else the
    /// caller; who asks for others names one by the parameter `recipient` there.
    case recipient(@Sendable (Call, String) async throws -> Response)
    /// Anyone's who is known. The answer sees to it that they get and do only what is theirs.
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

  /// What a path has in the place of its variable segments.
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
  /// Its path, such as `/v1/recipients/{recipient}/pending`.
  let template: String
  private let segments: [Segment]
  /// The names of the variable segments, in order.
  let names: [String]
  /// What it takes and answers.
  let operation: Operation
  let answer: Answer
  /// Whether it may be asked for from a page of any site, as by a link in a mail. What it takes to
  /// ask must stand in the address then.
  let isOpenedFromElsewhere: Bool

  /// - Parameter template: where `{recipient}` and `{customer}` stand for a recipient's id, and
  ///   other names in braces for anything else.
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

  /// The query's parameters that it knows.
  var query: [Operation.Parameter] { operation.query + (takesRecipient ? [.recipient] : []) }

  /// Whether who asks for others has to say whose the thing is.
  var takesRecipient: Bool {
    if case .recipient = answer { !segments.contains(.recipient) } else { false }
  }

  /// Nil when the path is another.
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

  static func segments(of path: some StringProtocol) -> [Substring] {
    Substring(path).split(separator: "/", omittingEmptySubsequences: false).dropFirst().map { $0 }
  }

  /// The route and what its variable segments are. HEAD is answered as GET is.
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
    let near = KnownPaths(routes.map(\.template)).nearest(3, to: path).joined(separator: ", ")
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
