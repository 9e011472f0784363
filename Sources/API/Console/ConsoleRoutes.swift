import Access
import HTTPTypes
import HummingbirdCore

/// Serves the console, a web page over the same interface that apps use. The page contains no
/// personal data; it uses its token to request the data that it shows.
struct ConsoleRoutes: Sendable {
  static let path = "/console/"

  /// The path at which the console exchanges a ticket and then opens. A recipient's ticket opens
  /// the page `/me`, which loads during the exchange. The ticket is behind the `#`, so no log
  /// contains it.
  static func path(for scope: AccessScope, with ticket: TokenSecret) -> String {
    path + "#t=" + ticket.reveal() + (scope.recipient == nil ? "" : "/me")
  }

  private let headers: HTTPFields

  init(_ settings: ConsoleSettings) {
    headers = Self.securityHeaders(settings)
  }

  /// The console's routes. `/openapi.json` does not describe them, because that document is for
  /// programs.
  var routes: [Route] {
    [
      Route(
        .get, "/", .console, answer: .everyone { _ in Self.moved }, isOpenToOtherSites: true),
      Route(
        .get, "/console", .console, answer: .everyone { _ in Self.moved },
        isOpenToOtherSites: true),
      Route(
        .get, Self.path, .console,
        answer: .everyone { call in try answer(call, ConsoleFile.page) },
        isOpenToOtherSites: true),
      Route(
        .get, Self.path + "{file}", .console,
        answer: .everyone { call in try answer(call, call.segments[0]) }),
    ]
  }

  /// A redirect to the console, temporary because the console may be switched off later.
  private static var moved: Response {
    Response(status: .found, headers: [.location: path, .cacheControl: "no-store"])
  }

  private func answer(_ call: Call, _ name: String) throws(Problem) -> Response {
    guard let file = ConsoleFile.all[name] else {
      throw Problem(
        .unknownPath, "the console has no file \"\(name.shortened)\"; open \(Self.path) instead")
    }
    var headers = headers
    headers[.eTag] = file.tag
    headers[.cacheControl] = "no-cache"
    guard !call.request.headers.hasCopy(tagged: file.tag) else {
      return Response(status: .notModified, headers: headers)
    }
    headers[.contentType] = file.type
    return Response(
      status: .ok, headers: headers, body: ResponseBody(byteBuffer: file.body))
  }

  /// The security headers of the console's responses. The headers restrict scripts and styles to
  /// the console's own files, and forbid requests to other hosts and the parsing of text as markup.
  /// They also isolate the console from pages of other origins. Only pictures may come from other
  /// hosts, and only from those that the operator names.
  private static func securityHeaders(_ settings: ConsoleSettings) -> HTTPFields {
    let pictures = (["'self'", "data:"] + settings.images.map(\.source)).joined(separator: " ")
    var headers: HTTPFields = [
      .contentSecurityPolicy:
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src \(pictures); "
        + "connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'; "
        + "require-trusted-types-for 'script'; trusted-types 'none'",
      .xContentTypeOptions: "nosniff",
    ]
    let otherHeaders = [
      ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Opener-Policy", "same-origin"),
      ("Cross-Origin-Resource-Policy", "same-origin"), ("X-Robots-Tag", "noindex"),
    ]
    for (name, value) in otherHeaders {
      if let name = HTTPField.Name(name) { headers[name] = value }
    }
    return headers
  }
}

extension Operation {
  fileprivate static let console = Operation(
    identifier: "console", summary: "The console", answers: [])
}
