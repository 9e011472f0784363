import NIOHTTP1

/// Why the head of a request is invalid, for its sender.
struct RequestHeadError: Error {
  let reason: String
}

/// Checks heads more strictly than the decoder. A head that two programs may read differently is
/// refused, because one of them may be a proxy in front of the service.
enum RequestHeadValidator {
  /// Returns the head in normal form: the target is a path, Host names the host, and Connection is
  /// `close` if no further request follows.
  ///
  /// - Parameter needsHost: false at a Unix socket, whose clients may have no host name for it;
  ///   browsers always send a host name.
  static func normalized(
    _ original: HTTPRequestHead, needsHost: Bool
  ) throws(RequestHeadError) -> HTTPRequestHead {
    var head = original
    let host = try normalizeHost(of: &head, isNeeded: needsHost)
    try checkCoding(of: head)
    try normalizeTarget(of: &head, host)
    normalizePersistence(of: &head)
    return head
  }

  /// Reads and normalizes the Host header (RFC 9112, section 3.2).
  private static func normalizeHost(
    of head: inout HTTPRequestHead, isNeeded: Bool
  ) throws(RequestHeadError) -> Authority? {
    let fields = head.headers["Host"]
    guard fields.count < 2 else {
      throw RequestHeadError(reason: "there is more than one header Host; send one")
    }
    guard let field = fields.first else {
      if head.version != .http1_1 || !isNeeded { return nil }
      throw RequestHeadError(reason: "the header Host is missing; send one")
    }
    var name = field[...]
    while name.last == " " || name.last == "\t" { name.removeLast() }
    guard let host = Authority(name) else {
      throw RequestHeadError(
        reason: "\"\(field.shortened)\" in Host is not a name or address, with an optional port; "
          + "send one such as localhost:7411")
    }
    // The decoder keeps spaces after a value.
    if name.endIndex != field.endIndex {
      head.headers.replaceOrAdd(name: "Host", value: String(name))
    }
    return host
  }

  /// Requires that the length of the body is unambiguous (RFC 9112, sections 6.1 and 6.3).
  private static func checkCoding(of head: HTTPRequestHead) throws(RequestHeadError) {
    let fields = head.headers["Transfer-Encoding"]
    guard let field = fields.first else { return }
    guard head.version == .http1_1 else {
      throw RequestHeadError(reason: "HTTP/1.0 has no Transfer-Encoding; send a Content-Length")
    }
    guard fields.count == 1, field.lowercased() == "chunked" else {
      throw RequestHeadError(
        reason: "Transfer-Encoding must be chunked; send that alone, or a Content-Length")
    }
  }

  /// Replaces an absolute target with its path, and Host with the target's host (RFC 9112, section
  /// 3.2.2).
  private static func normalizeTarget(
    of head: inout HTTPRequestHead, _ host: Authority?
  ) throws(RequestHeadError) {
    if head.method == .CONNECT {
      throw RequestHeadError(
        reason: "the service is not a proxy; send a path, such as GET /healthz")
    }
    if head.uri.utf8.first == UInt8(ascii: "/") || head.uri == "*" && head.method == .OPTIONS {
      return
    }
    guard let target = AbsoluteTarget(head.uri) else {
      throw RequestHeadError(
        reason: "\"\(head.uri.shortened)\" is neither a path nor an http address; send a path, "
          + "such as /healthz")
    }
    if let host, !target.authority.isSame(as: host, in: target.scheme) {
      throw RequestHeadError(
        reason: "the target and Host name two different servers; send one of them")
    }
    head.uri = target.path
    head.headers.replaceOrAdd(name: "Host", value: target.authorityText)
  }

  private static func normalizePersistence(of head: inout HTTPRequestHead) {
    let isHTTP10 = head.version != .http1_1
    if isHTTP10 { head.headers.remove(name: "Expect") }
    let options = head.headers[canonicalForm: "Connection"]
    guard isHTTP10 || options.contains(where: { $0.lowercased() == "close" }) else { return }
    head.headers.replaceOrAdd(name: "Connection", value: "close")
  }
}

/// A target with a scheme and an authority before its path.
private struct AbsoluteTarget {
  let scheme: String
  let authority: Authority
  /// The authority as it is written in the target.
  let authorityText: String
  /// The path, with the query.
  let path: String

  /// Parses a target; nil if the text is not an absolute target, or has no host.
  init?(_ text: String) {
    scheme = text.prefix { $0 != ":" }.lowercased()
    let afterScheme = text.dropFirst(scheme.count)
    guard scheme == "http" || scheme == "https", afterScheme.hasPrefix("://") else { return nil }
    let name = afterScheme.dropFirst(3).prefix { !"/?#".contains($0) }
    guard let authority = Authority(name), !authority.host.isEmpty else { return nil }
    self.authority = authority
    authorityText = String(name)
    let path = afterScheme.dropFirst(3 + name.count)
    self.path = path.first == "/" ? String(path) : "/" + path
  }
}
