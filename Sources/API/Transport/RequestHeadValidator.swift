import NIOHTTP1

/// What is wrong with the head of a request, for the one who sent it.
struct HeadFault: Error {
  let reason: String
}

/// Judges what the decoder lets pass: a head that two programs might read in two ways is refused,
/// as one of them may be a proxy before the service.
enum RequestHeadValidator {
  /// The head in the one form that the rest of the service reads: the target is a path, Host names
  /// the host, and Connection says `close` if no other request is to follow.
  ///
  /// - Parameter needsHost: false at a Unix socket, whose clients have no name for where they
  ///   connect; browsers always send one.
  static func settled(
    _ original: HTTPRequestHead, needsHost: Bool
  ) throws(HeadFault) -> HTTPRequestHead {
    var head = original
    let host = try settleHost(of: &head, isNeeded: needsHost)
    try checkCoding(of: head)
    try settleTarget(of: &head, host)
    settlePersistence(of: &head)
    return head
  }

  /// Whose name the field Host has (RFC 9112, section 3.2).
  private static func settleHost(
    of head: inout HTTPRequestHead, isNeeded: Bool
  ) throws(HeadFault) -> Authority? {
    let fields = head.headers["Host"]
    guard fields.count < 2 else { throw HeadFault(reason: "there is more than one Host; send one") }
    guard let field = fields.first else {
      if head.version != .http1_1 || !isNeeded { return nil }
      throw HeadFault(reason: "the field Host is missing; send one")
    }
    var name = field[...]
    while name.last == " " || name.last == "\t" { name.removeLast() }
    guard let host = Authority(name) else {
      throw HeadFault(
        reason: "\"\(field.shortened)\" in Host is no name or address with or without a port; "
          + "send one such as localhost:7411")
    }
    // The decoder leaves the space behind a value.
    if name.endIndex != field.endIndex {
      head.headers.replaceOrAdd(name: "Host", value: String(name))
    }
    return host
  }

  /// The length of the body must be plain (RFC 9112, sections 6.1 and 6.3).
  private static func checkCoding(of head: HTTPRequestHead) throws(HeadFault) {
    let fields = head.headers["Transfer-Encoding"]
    guard let field = fields.first else { return }
    guard head.version == .http1_1 else {
      throw HeadFault(reason: "HTTP/1.0 has no Transfer-Encoding; send a Content-Length")
    }
    guard fields.count == 1, field.lowercased() == "chunked" else {
      throw HeadFault(
        reason: "only chunked is known as Transfer-Encoding; send it alone, or a Content-Length")
    }
  }

  /// Puts a path in the place of an absolute target, and its host in the place of Host (RFC 9112,
  /// section 3.2.2).
  private static func settleTarget(
    of head: inout HTTPRequestHead, _ host: Authority?
  ) throws(HeadFault) {
    if head.method == .CONNECT {
      throw HeadFault(reason: "the service is no proxy; send a path, such as GET /healthz")
    }
    if head.uri.utf8.first == UInt8(ascii: "/") || head.uri == "*" && head.method == .OPTIONS {
      return
    }
    guard let target = AbsoluteTarget(head.uri) else {
      throw HeadFault(
        reason: "\"\(head.uri.shortened)\" is neither a path nor an http address; send a path, "
          + "such as /healthz")
    }
    if let host, !target.authority.isSame(as: host, in: target.scheme) {
      throw HeadFault(reason: "the target and Host name two different servers; send one of them")
    }
    head.uri = target.path
    head.headers.replaceOrAdd(name: "Host", value: target.authorityText)
  }

  private static func settlePersistence(of head: inout HTTPRequestHead) {
    let isOld = head.version != .http1_1
    if isOld { head.headers.remove(name: "Expect") }
    let options = head.headers[canonicalForm: "Connection"]
    guard isOld || options.contains(where: { $0.lowercased() == "close" }) else { return }
    head.headers.replaceOrAdd(name: "Connection", value: "close")
  }
}

/// A target with a scheme and an authority before its path.
private struct AbsoluteTarget {
  let scheme: String
  let authority: Authority
  let authorityText: String
  /// With the query.
  let path: String

  /// Nil for what is none, or names nobody.
  init?(_ text: String) {
    scheme = text.prefix { $0 != ":" }.lowercased()
    let rest = text.dropFirst(scheme.count)
    guard scheme == "http" || scheme == "https", rest.hasPrefix("://") else { return nil }
    let name = rest.dropFirst(3).prefix { !"/?#".contains($0) }
    guard let authority = Authority(name), !authority.host.isEmpty else { return nil }
    self.authority = authority
    authorityText = String(name)
    let path = rest.dropFirst(3 + name.count)
    self.path = path.first == "/" ? String(path) : "/" + path
  }
}
