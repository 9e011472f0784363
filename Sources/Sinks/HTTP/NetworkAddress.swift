internal import Glibc

/// An IPv4 or IPv6 address.
package struct NetworkAddress: Hashable, Sendable {
  package enum Version: Hashable, Sendable {
    case four
    case six

    var bitCount: Int { self == .four ? 32 : 128 }
    var family: Int32 { self == .four ? AF_INET : AF_INET6 }
  }

  package let version: Version
  /// The address as a number of 32 or 128 bits.
  let bits: UInt128

  init(_ version: Version, _ bits: UInt128) {
    self.version = version
    self.bits = bits
  }

  /// - Parameter bytes: the address in network byte order.
  init(_ version: Version, bytes: some Sequence<UInt8>) {
    self.init(version, bytes.reduce(0) { $0 << 8 | UInt128($1) })
  }

  /// Parses an IPv4 address of four decimal numbers, such as "192.0.2.1", or an IPv6 address in the
  /// notation of RFC 4291, such as "2001:db8::1".
  package init?(_ text: String) {
    let version = text.utf8.contains(UInt8(ascii: ":")) ? Version.six : .four
    var bytes: [UInt8] = Array(repeating: 0, count: version.bitCount / 8)
    guard inet_pton(version.family, text, &bytes) == 1 else { return nil }
    self.init(version, bytes: bytes)
  }

  /// The address that packets reach. It is the embedded IPv4 address if this address is in
  /// ::ffff:0:0/96 (RFC 4291), or in 64:ff9b::/96, which a translator serves (RFC 6052). Otherwise
  /// it is this address.
  var destination: NetworkAddress {
    guard version == .six, Self.embeddingNetworks.contains(where: { $0.contains(self) }) else {
      return self
    }
    return NetworkAddress(.four, bits & 0xFFFF_FFFF)
  }

  private static let embeddingNetworks = Network.list("::ffff:0:0/96", "64:ff9b::/96")
}

extension NetworkAddress: CustomStringConvertible {
  /// The bytes of the address in network byte order.
  var bytes: [UInt8] {
    (0..<version.bitCount / 8).reversed().map { UInt8(truncatingIfNeeded: bits >> ($0 * 8)) }
  }

  package var description: String {
    var text: [CChar] = Array(repeating: 0, count: Int(INET6_ADDRSTRLEN))
    inet_ntop(version.family, bytes, &text, socklen_t(text.count))
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

/// The addresses that a sink may connect to: public addresses, and the addresses that the
/// configuration allows.
///
/// A user who may choose the target of notifications must not reach hosts that only this machine
/// can reach.
package struct AddressPolicy: Hashable, Sendable {
  /// The networks that the configuration allows in addition to public addresses.
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
    return isGlobal && !specialPurpose.contains { $0.contains(address) }
  }

  /// The part of IPv6 that is allocated for global use.
  private static let global = Network.list("2000::/3")

  /// The networks without global reachability in the registries of special-purpose addresses (RFC
  /// 6890), those of IPv4 multicast, and those of obsolete tunnels and tests.
  private static let specialPurpose =
    Network.list(
      "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
      "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
      "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4")
    + Network.list("2001::/23", "2001:db8::/32", "2002::/16", "3ffe::/16", "3fff::/20")
}

/// A block of addresses in CIDR notation (RFC 4632), such as "10.1.0.0/16" or "fd00::/8".
package struct Network: Hashable, Sendable {
  private let base: NetworkAddress
  /// The length of the network prefix in bits.
  private let length: Int

  /// Parses a network; nil if the text is not one, or has bits set after the prefix.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let base = NetworkAddress(String(parts[0])),
      parts[1].utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let length = Int(parts[1]), length <= base.version.bitCount
    else { return nil }
    self.base = base
    self.length = length
    guard (base.bits >> hostLength) << hostLength == base.bits else { return nil }
  }

  package func contains(_ address: NetworkAddress) -> Bool {
    address.version == base.version && address.bits >> hostLength == base.bits >> hostLength
  }

  private var hostLength: Int { base.version.bitCount - length }

  /// Returns the networks of constant texts.
  static func list(_ texts: StaticString...) -> [Network] {
    texts.compactMap { Network($0.description) }
  }
}
