/// The address at which people reach the service (rule H27). Links in notifications begin with it.
package struct PublicURL: Hashable, Sendable, CustomStringConvertible {
  /// The URL without a slash at its end.
  package let description: String
  package let host: String

  private static let scheme = "https://"
  private static let lengthMax = 200

  /// Parses an https URL of at most 200 bytes. Returns nil for any other URL, for one with a user,
  /// a query or a fragment, and for one with a character that needs escaping.
  package init?(_ text: String) {
    let url = text.last == "/" ? String(text.dropLast()) : text
    guard url.hasPrefix(Self.scheme), url.utf8.count <= Self.lengthMax,
      url.utf8.allSatisfy(Self.isPlain)
    else { return nil }
    let authority = url.dropFirst(Self.scheme.count).prefix { $0 != "/" }
    let host = authority.prefix { $0 != ":" }
    let port = authority.dropFirst(host.count)
    guard !host.isEmpty, !authority.contains("@"),
      port.isEmpty || port.dropFirst().first != "+" && UInt16(port.dropFirst()) ?? 0 > 0
    else { return nil }
    description = url
    self.host = String(host)
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    (0x21...0x7E).contains(byte) && !"<>\"'\\^`{|}?#".utf8.contains(byte)
  }
}
