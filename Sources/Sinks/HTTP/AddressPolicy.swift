/// Which addresses a sink may connect to: those of the public Internet, and what the configuration
/// allows besides.
///
/// Whoever may choose where notifications go must not reach what only this machine can reach.
package struct AddressPolicy: Hashable, Sendable {
  package var allowed: [Network]

  package init(allowed: [Network] = []) {
    self.allowed = allowed
  }

  package func permits(_ address: NetworkAddress) -> Bool {
    let destination = address.destination
    return allowed.contains { $0.contains(address) || $0.contains(destination) }
      || Self.isPublic(destination)
  }

  private static func isPublic(_ address: NetworkAddress) -> Bool {
    let isGlobal = address.version == .four || global.contains { $0.contains(address) }
    return isGlobal && !special.contains { $0.contains(address) }
  }

  /// What of IPv6 is given out for use everywhere.
  private static let global = Network.list("2000::/3")

  /// What is not for use everywhere, as the registries of special-purpose addresses say (RFC 6890),
  /// and what carries an address of IPv4 through tunnels that nobody needs any more.
  private static let special =
    Network.list(
      "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
      "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
      "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4")
    + Network.list("2001::/23", "2001:db8::/32", "2002::/16", "3ffe::/16", "3fff::/20")
}
