/// Whom a request is for, as the field Host or an absolute target names them: a host and perhaps a
/// port (RFC 3986, sections 3.2.2 and 3.2.3). User information is none of it (RFC 9110, 4.2.4).
struct Authority: Hashable, Sendable {
  /// In lower case; an IPv6 address without its brackets; empty if nobody is named.
  let host: String
  let port: UInt16?

  /// Nil for what is no authority.
  init?(_ text: some StringProtocol) {
    let (host, rest): (String, Substring)
    if text.first == "[" {
      guard let end = text.firstIndex(of: "]") else { return nil }
      host = String(text[..<end].dropFirst())
      rest = Substring(text[text.index(after: end)...])
      guard TCPAddress.isV6(host) else { return nil }
    } else {
      let end = text.firstIndex(of: ":") ?? text.endIndex
      host = String(text[..<end])
      rest = Substring(text[end...])
      guard Self.isName(host.utf8) else { return nil }
    }
    guard rest.isEmpty || rest.first == ":" else { return nil }
    let digits = rest.dropFirst()
    guard digits.utf8.allSatisfy(Self.isDigit) else { return nil }
    port = UInt16(digits)
    guard port != nil || digits.isEmpty else { return nil }
    self.host = host.lowercased()
  }

  /// Whether both lead to the same place where `scheme` is spoken.
  func isSame(as other: Authority, in scheme: String) -> Bool {
    let usual: UInt16 = scheme == "https" ? 443 : 80
    return host == other.host && (port ?? usual) == (other.port ?? usual)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  /// A registered name or an IPv4 address; names in other scripts go by their ASCII form.
  private static func isName(_ bytes: String.UTF8View) -> Bool {
    var hexDigits = 0
    for byte in bytes {
      if hexDigits > 0 {
        guard Character(Unicode.Scalar(byte)).isHexDigit else { return false }
        hexDigits -= 1
      } else if byte == UInt8(ascii: "%") {
        hexDigits = 2
      } else if !isPlain(byte) {
        return false
      }
    }
    return hexDigits == 0
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    default: isDigit(byte) || marks.contains(byte)
    }
  }

  private static let marks = Array("-._~!$&'()*+,;=".utf8)
}
