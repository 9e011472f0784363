import HTTPTypes

/// The names under which the service answers to whom it trusts for where they are: on the loopback
/// and at its Unix socket, which may be forwarded to one.
///
/// A page in a browser may send requests to the loopback under a name that its author made lead
/// there (DNS rebinding); the name stands in the field Host, where the page cannot change it.
struct HostNames: Sendable {
  /// Beside `localhost` and any address.
  let further: [String]

  /// - Parameter authority: whom the request is for; nil where it does not say, as no browser does:
  ///   those always send a Host.
  func check(_ authority: String?, from origin: ConnectionOrigin) throws(Problem) {
    guard let authority else { return }
    let name = Authority(authority).map(Self.name)
    switch origin {
    case .network(isLoopback: false, _): return
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
