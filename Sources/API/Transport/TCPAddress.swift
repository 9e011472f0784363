import Glibc

/// Where to listen for TCP: `127.0.0.1:7411`, `[::1]:7411`, or a port alone, which is one of the
/// loopback's (rule H1). Names are not looked up, as one may lead anywhere.
package struct TCPAddress: Hashable, Sendable, CustomStringConvertible {
  /// An IPv4 or IPv6 address.
  package let host: String
  /// 0 for any that is free.
  package let port: UInt16

  /// Nil for what is no such address.
  package init?(_ text: String) {
    let colon = text.lastIndex(of: ":")
    let port = text[(colon.map(text.index(after:)) ?? text.startIndex)...]
    let digits = port.allSatisfy { ("0"..."9").contains($0) }
    guard digits, let port = UInt16(port) else { return nil }
    var host = colon.map { text[..<$0] } ?? "127.0.0.1"
    let isBracketed = host.first == "[" && host.last == "]"
    if isBracketed { host = host.dropFirst().dropLast() }
    guard isBracketed ? Self.isV6(host) : Self.isV4(host) else { return nil }
    self.host = String(host)
    self.port = port
  }

  package var description: String { isV6 ? "[\(host)]:\(port)" : "\(host):\(port)" }

  var isV6: Bool { host.contains(":") }

  static func isV4(_ text: some StringProtocol) -> Bool { isAddress(text, of: AF_INET) }

  static func isV6(_ text: some StringProtocol) -> Bool { isAddress(text, of: AF_INET6) }

  private static func isAddress(_ text: some StringProtocol, of family: CInt) -> Bool {
    // Room for the larger of the two.
    var address = [UInt8](repeating: 0, count: 16)
    return inet_pton(family, String(text), &address) == 1
  }
}
