import HTTPTypes

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
    let known = routes.map(\.template)
    return Problem(
      .unknownPath,
      "there is nothing at \(path.shortened); there is \(known.joined(separator: ", "))")
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
