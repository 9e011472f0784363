import HTTPTypes

/// Finds the route for a method and a path.
struct RouteTable: Sendable {
  let routes: [Route]
  /// The routes, ordered by the number of constant segments in their paths, the highest first.
  private let routesByConstantCount: [Route]
  private let knownPaths: KnownPaths

  init(routes: [Route]) {
    self.routes = routes
    routesByConstantCount = routes.sorted { $0.constantCount > $1.constantCount }
    knownPaths = KnownPaths(routes.map(\.template))
  }

  static func segments(of path: some StringProtocol) -> [Substring] {
    Substring(path).split(separator: "/", omittingEmptySubsequences: false).dropFirst().map { $0 }
  }

  /// Returns the route and the values of its variable segments. HEAD uses the route of GET. A path
  /// that matches several templates has only the methods of the template with the most constant
  /// segments, as OpenAPI 3.1 defines it.
  func route(
    _ method: HTTPRequest.Method, _ path: String
  ) throws(Problem) -> (route: Route, values: Route.Values) {
    let segments = Self.segments(of: path)
    let routeMethod = method == .head ? .get : method
    var (allowed, constantCount): ([String], Int?) = ([], nil)
    for route in routesByConstantCount {
      guard let values = route.values(in: segments) else { continue }
      guard route.constantCount == constantCount ?? route.constantCount else { break }
      constantCount = route.constantCount
      if route.method == routeMethod { return (route, values) }
      allowed.append(route.method.rawValue)
      if route.method == .get { allowed.append("HEAD") }
    }
    throw allowed.isEmpty ? unknownPath(path) : wrongMethod(method, path, allowed: allowed)
  }

  /// Returns the routes of the matching template that has the most constant segments.
  func routes(at path: String) -> [Route] {
    let segments = Self.segments(of: path)
    let matching = routesByConstantCount.filter { $0.values(in: segments) != nil }
    return matching.filter { $0.constantCount == matching[0].constantCount }
  }

  private func unknownPath(_ path: String) -> Problem {
    let near = knownPaths.nearest(3, to: path).joined(separator: ", ")
    return Problem(
      .unknownPath,
      "there is nothing at \(path.shortened); the nearest known paths are \(near), and "
        + "/openapi.json describes all")
  }

  private func wrongMethod(
    _ method: HTTPRequest.Method, _ path: String, allowed: [String]
  ) -> Problem {
    let list = allowed.joined(separator: ", ")
    return Problem(
      .wrongMethod, "\(path.shortened) does not support \(method.rawValue); use \(list)",
      headers: [.allow: list])
  }
}
