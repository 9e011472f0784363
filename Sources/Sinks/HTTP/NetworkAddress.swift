internal import Glibc

/// An address of the Internet protocol.
package struct NetworkAddress: Hashable, Sendable {
  package enum Version: Hashable, Sendable {
    case four
    case six

    var bitCount: Int { self == .four ? 32 : 128 }
    var family: Int32 { self == .four ? AF_INET : AF_INET6 }
  }

  package let version: Version
  /// The address as a number, of 32 or of 128 bits.
  let bits: UInt128

  init(_ version: Version, _ bits: UInt128) {
    self.version = version
    self.bits = bits
  }

  /// - Parameter bytes: in the order in which they are sent.
  init(_ version: Version, bytes: some Sequence<UInt8>) {
    self.init(version, bytes.reduce(0) { $0 << 8 | UInt128($1) })
  }

  /// Reads "192.0.2.1" or "2001:db8::1": four decimal numbers, or what RFC 4291 writes.
  package init?(_ text: String) {
    let version = text.utf8.contains(UInt8(ascii: ":")) ? Version.six : .four
    var bytes: [UInt8] = Array(repeating: 0, count: version.bitCount / 8)
    guard inet_pton(version.family, text, &bytes) == 1 else { return nil }
    self.init(version, bytes: bytes)
  }

  /// The address that packets end up at: that of IPv4 where this one only carries it, as ::ffff:0:0
  /// does (RFC 4291) and 64:ff9b:: through a translator (RFC 6052).
  var destination: NetworkAddress {
    guard version == .six, Self.carriers.contains(where: { $0.contains(self) }) else { return self }
    return NetworkAddress(.four, bits & 0xFFFF_FFFF)
  }

  private static let carriers = Network.list("::ffff:0:0/96", "64:ff9b::/96")
}

extension NetworkAddress: CustomStringConvertible {
  package var description: String {
    let bytes = (0..<version.bitCount / 8).reversed().map {
      UInt8(truncatingIfNeeded: bits >> ($0 * 8))
    }
    var text: [CChar] = Array(repeating: 0, count: Int(INET6_ADDRSTRLEN))
    inet_ntop(version.family, bytes, &text, socklen_t(text.count))
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
