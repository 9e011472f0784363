/// Where something is posted to: an https URL taken apart.
package struct ExchangeTarget: Hashable, Sendable {
  package let origin: ExchangeOrigin
  /// "/" if the URL has none.
  package let path: String

  /// Nil for what is no https URL, or has a user, a fragment, or characters that no URL has.
  package init?(_ url: String) {
    guard url.hasPrefix("https://"), url.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
      return nil
    }
    let rest = url.dropFirst("https://".count)
    let authority = rest.prefix { !"/?#".contains($0) }
    guard !authority.contains("@"), !rest.contains("#"),
      let origin = Self.origin(authority)
    else { return nil }
    self.origin = origin
    let path = rest.dropFirst(authority.count)
    self.path = path.hasPrefix("/") ? String(path) : "/" + path
  }

  private static func origin(_ authority: Substring) -> ExchangeOrigin? {
    var host = authority
    var port = 443
    if let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]") {
      guard let number = Int(authority[authority.index(after: colon)...]),
        (1...65_535).contains(number)
      else { return nil }
      host = authority[..<colon]
      port = number
    }
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    return host.isEmpty ? nil : ExchangeOrigin(host: String(host), port: port)
  }
}
