import HTTPTypes

/// The names under which the service answers on the loopback.
///
/// A page in a browser may send requests to the loopback under a name that its author made lead
/// there (DNS rebinding); the name stands in the field Host, where the page cannot change it.
struct HostNames: Sendable {
  /// Beside `localhost` and any address.
  let further: [String]

  /// - Parameter authority: what the field Host says.
  func check(_ authority: String?, from origin: ConnectionOrigin) throws(Problem) {
    guard case .network(isLoopback: true, _) = origin else { return }
    let name = Self.name(in: authority ?? "")
    if name == "localhost" || TCPAddress.isV4(name) || TCPAddress.isV6(name) { return }
    if further.contains(where: { $0.lowercased() == name }) { return }
    throw Problem(
      .misdirected,
      "the service does not go by the name \"\(name.shortened)\" here; use localhost or the "
        + "address, or start the service with --host \(name.isEmpty ? "NAME" : name.shortened)")
  }

  /// Without the port, the brackets of an IPv6 address and the dot at the end, in lower case.
  private static func name(in authority: String) -> String {
    var name = authority.lowercased()[...]
    if name.first == "[" {
      return String(name.dropFirst().prefix { $0 != "]" })
    }
    if let colon = name.lastIndex(of: ":") { name = name[..<colon] }
    if name.last == "." { name = name.dropLast() }
    return String(name)
  }
}
