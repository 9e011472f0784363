import Access
import HTTPTypes
import HummingbirdCore

/// Lets pages of configured origins use recipients' resources and report events (rule H18), by the
/// headers of the Fetch standard (CORS). A page needs a recipient's own token. Cookies and other
/// stored credentials are never allowed.
struct PageAccess: Sendable {
  private let origins: Set<String>

  init(_ origins: [PageOrigin]) {
    self.origins = Set(origins.map(\.description))
  }

  /// The seconds for which a browser remembers an answer to `preflight`.
  private static let preflightSeconds = "600"
  /// The header fields that a page may send.
  private static let requestFields = "Authorization, Content-Type, If-Match, Last-Event-ID"
  /// The header fields of a response that a page may read.
  private static let responseFields = "ETag, Retry-After"

  /// Returns the answer to a preflight request, in which a browser asks whether a page may send its
  /// actual request; nil for any other request.
  func preflight(_ request: Request, _ table: RouteTable) throws(Problem) -> Response? {
    let headers = request.headers
    guard !origins.isEmpty, request.method == .options, headers.contains(.origin),
      let method = headers[.accessControlRequestMethod].flatMap({ HTTPRequest.Method($0) })
    else { return nil }
    let routes = table.routes(at: request.uri.path)
    // A preflight for an unknown path is refused with the same problem as the request itself.
    if routes.isEmpty { _ = try table.route(method, request.uri.path) }
    let methods = routes.filter(\.isForRecipients).map(\.method.rawValue)
    try check(headers, isForRecipients: !methods.isEmpty)
    let fields = [Self.requestFields] + Self.eventFields(headers[.accessControlRequestHeaders])
    return Response(
      status: .noContent,
      headers: [
        .accessControlAllowMethods: methods.joined(separator: ", "),
        .accessControlAllowHeaders: fields.joined(separator: ", "),
        .accessControlMaxAge: Self.preflightSeconds, .vary: "Access-Control-Request-Headers",
      ])
  }

  /// Returns those of the named header fields that begin with `ce-`, as the attributes of an event
  /// in binary mode do.
  private static func eventFields(_ names: String?) -> [String] {
    (names ?? "").split(separator: ",").compactMap { name in
      HTTPField.Name(name.filter { $0 != " " })?.canonicalName
    }.filter { $0.hasPrefix("ce-") }
  }

  /// Checks a request that a page of another site sent. Throws unless the page's origin is
  /// configured and the route is one for recipients.
  func check(_ headers: HTTPFields, isForRecipients: Bool) throws(Problem) {
    let isConfigured = headers[.origin].map(origins.contains) ?? false
    guard !isConfigured || !isForRecipients else { return }
    let page = headers[.origin].map { " of \"\($0.shortened)\"" } ?? ""
    throw Problem(
      .crossSite,
      "a browser sent this for a page\(page), which is not the service's own; let the page call "
        + "its own server, and that server call the service"
        + (isForRecipients ? Self.remedy(for: headers[.origin]) : ""))
  }

  private static func remedy(for origin: String?) -> String {
    switch origin {
    case nil: "; or send it by fetch in mode cors, so that the browser names the page"
    case let origin? where PageOrigin(origin) != nil:
      "; or name the page's origin in origins of the configuration"
    default: ""
    }
  }

  /// Throws for callers other than recipients. Otherwise a page could act with the rights of its
  /// visitor, who may be an administrator.
  func check(_ scope: AccessScope) throws(Problem) {
    guard scope.recipient == nil else { return }
    throw Problem(
      .crossSite,
      "a page of another site may use a recipient's own token only; send the header Authorization")
  }

  /// Lets the page of a configured origin read a response about a resource for recipients.
  func share(_ response: inout Response, to request: Request, _ table: RouteTable) {
    guard !origins.isEmpty else { return }
    response.headers.append(HTTPField(name: .vary, value: "Origin"))
    guard let origin = request.headers[.origin], origins.contains(origin),
      table.routes(at: request.uri.path).contains(where: \.isForRecipients)
    else { return }
    response.headers[.accessControlAllowOrigin] = origin
    response.headers[.accessControlExposeHeaders] = Self.responseFields
  }
}
