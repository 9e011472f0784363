import HTTPTypes

/// The names under which the service answers callers that it trusts for where they are: on the
/// loopback and at its Unix socket, which may be forwarded to one.
///
/// A page in a browser may send requests to the loopback under a name that its author made lead
/// there (DNS rebinding); the name stands in the field Host, where the page cannot change it.
struct HostNames: Sendable {
  /// Beside `localhost` and any address.
  let further: [String]

  /// - Parameter authority: the host that the request names; nil if it names none, as no browser
  ///   does: those always send a Host.
  func check(_ authority: String?, from origin: ConnectionOrigin) throws(Problem) {
    guard let authority else { return }
    let name = Authority(authority).map(Self.name)
    switch origin {
    case .network(isLoopback: false, _), .node: return
    case .network: if let name, isOwn(name) { return }
    // No name without a dot leads to a stranger's server; clients of the socket use some.
    case .local: if let name, isOwn(name) || !name.contains(".") || name.contains("%") { return }
    }
    let shown = name ?? authority
    throw Problem(
      .misdirected,
      "the service does not go by the name \"\(shown.shortened)\" here; use localhost or the "
        + "address, or start the service with --host \(shown.isEmpty ? "NAME" : shown.shortened)")
  }

  func isOwn(_ name: String) -> Bool {
    if name == "localhost" || TCPAddress.isV4(name) || TCPAddress.isV6(name) { return true }
    return further.contains { $0.lowercased() == name }
  }

  /// Without the dot at the end.
  static func name(of authority: Authority) -> String {
    authority.host.last == "." ? String(authority.host.dropLast()) : authority.host
  }
}

extension HostNames {
  /// Refuses what a browser sends for a page of another origin: the page would act with the rights
  /// of whoever looks at it. A request without the fields of browsers is no page's.
  ///
  /// - Parameter authority: the host that the request names.
  func checkPage(_ headers: HTTPFields, of authority: String?) throws(Problem) {
    if let site = headers[.secFetchSite] {
      if site == "same-origin" || site == "none" { return }
    } else {
      guard let origin = headers[.origin] else { return }
      if isOwn(origin: origin, authority.flatMap { Authority($0) }) { return }
    }
    let page = headers[.origin].map { " of \"\($0.shortened)\"" } ?? ""
    throw Problem(
      .crossSite,
      "a browser sent this for a page\(page), which is not the service's own; have the page ask "
        + "its own server, and that server ask the service")
  }

  /// A proxy may have put another Host in the place of the one that the page's browser knows; then
  /// the service has to know the name.
  private func isOwn(origin: String, _ authority: Authority?) -> Bool {
    let scheme = origin.prefix { $0 != ":" }
    guard scheme == "http" || scheme == "https", origin.dropFirst(scheme.count).hasPrefix("://"),
      let page = Authority(origin.dropFirst(scheme.count + 3))
    else { return false }
    if let authority, page.isSame(as: authority, in: String(scheme)) { return true }
    let name = Self.name(of: page)
    return further.contains { $0.lowercased() == name }
  }
}

extension HTTPField.Name {
  /// Where the page stands that sends a request (W3C Fetch Metadata Request Headers).
  static let secFetchSite = HTTPField.Name("Sec-Fetch-Site") ?? .origin
}
