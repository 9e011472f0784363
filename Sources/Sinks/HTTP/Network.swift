/// A block of addresses, written as RFC 4632 does: "10.1.0.0/16", "fd00::/8".
package struct Network: Hashable, Sendable {
  private let base: NetworkAddress
  /// How many bits of an address tell its network.
  private let length: Int

  /// Nil if it is none, or if an address in a network stands for the network.
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

  /// Networks that this program knows by itself.
  static func list(_ texts: StaticString...) -> [Network] {
    texts.compactMap { Network($0.description) }
  }
}
