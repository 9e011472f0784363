import HTTPTypes

/// The allowed host names for callers on the loopback and the Unix socket. Administrators need no
/// token on the Unix socket, and a program may forward a loopback port to that socket.
///
/// In DNS rebinding, a web page sends requests to a host name that its author has made resolve to
/// the loopback. The Host header contains that name, and the page cannot change the header. So
/// these requests are recognized and refused.
struct HostNames: Sendable {
  /// The host names that are allowed in addition to `localhost` and every IP address.
  let furtherNames: [String]

  /// Throws if a request on the loopback or the Unix socket names a host that is not allowed.
  ///
  /// - Parameter authority: the host in the request; nil if the request has none. Browsers always
  ///   send a host.
  func check(_ authority: String?, from origin: ConnectionOrigin) throws(Problem) {
    guard let authority else { return }
    let name = Authority(authority).map(Self.name)
    switch origin {
    case .network(isLoopback: false, _), .node: return
    case .network: if let name, isOwn(name) { return }
    // A name without a dot never resolves to an attacker's server. Clients of the socket send such
    // names, or the percent-encoded path of the socket.
    case .local: if let name, isOwn(name) || !name.contains(".") || name.contains("%") { return }
    }
    let host = name ?? authority
    throw Problem(
      .misdirected,
      "the host name \"\(host.shortened)\" is not allowed here; use localhost or the "
        + "address, or start the service with --host \(host.isEmpty ? "NAME" : host.shortened)")
  }

  /// Whether a name is one of the service's own.
  func isOwn(_ name: String) -> Bool {
    if name == "localhost" || TCPAddress.isV4(name) || TCPAddress.isV6(name) { return true }
    return furtherNames.contains { $0.lowercased() == name }
  }

  /// The host without a trailing dot.
  static func name(of authority: Authority) -> String {
    authority.host.last == "." ? String(authority.host.dropLast()) : authority.host
  }
}

extension HostNames {
  /// Whether the request comes from a browser's page of another origin. Such a page would act with
  /// the rights of its visitor. False if the request has none of the headers that browsers send.
  ///
  /// - Parameter authority: the host in the request.
  func isFromOtherSite(_ headers: HTTPFields, of authority: String?) -> Bool {
    if let site = headers[.secFetchSite] { return site != "same-origin" && site != "none" }
    guard let origin = headers[.origin] else { return false }
    return !isOwn(origin: origin, authority.flatMap { Authority($0) })
  }

  /// Whether an origin is the service's own. A proxy may replace the Host header, so the origin's
  /// host may also be a name given with --host. The origin's port is then the default of the scheme
  /// or the port in the Host header.
  private func isOwn(origin: String, _ authority: Authority?) -> Bool {
    let scheme = origin.prefix { $0 != ":" }
    guard scheme == "http" || scheme == "https", origin.dropFirst(scheme.count).hasPrefix("://"),
      let page = Authority(origin.dropFirst(scheme.count + 3))
    else { return false }
    if let authority, page.isSame(as: authority, in: String(scheme)) { return true }
    guard page.port == nil || page.port == authority?.port else { return false }
    let name = Self.name(of: page)
    return furtherNames.contains { $0.lowercased() == name }
  }
}

extension HTTPField.Name {
  /// The relation between the page that sends a request and the requested origin (W3C Fetch
  /// Metadata Request Headers).
  static let secFetchSite = HTTPField.Name("Sec-Fetch-Site") ?? .origin
}
