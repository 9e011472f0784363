/// The origin of web pages, as browsers send it (RFC 6454), such as `https://app.example`.
package struct PageOrigin: Hashable, Sendable, CustomStringConvertible {
  package let description: String

  /// Nil unless the text is a scheme, a host and an optional port, without a path. The scheme is
  /// `https`, or `http` for a page of this machine: anyone on the way could change other pages.
  package init?(_ text: String) {
    let scheme = text.prefix { $0 != ":" }.lowercased()
    guard scheme == "https" || scheme == "http", text.dropFirst(scheme.count).hasPrefix("://"),
      let authority = Authority(text.dropFirst(scheme.count + 3)), !authority.host.isEmpty,
      !authority.host.contains("*"),
      scheme == "https" || Self.isLocal(authority.host)
    else { return nil }
    description = "\(scheme)://\(Self.shown(authority, in: scheme))"
  }

  /// Browsers omit the usual port, and put an IPv6 address in brackets.
  private static func shown(_ authority: Authority, in scheme: String) -> String {
    let host = authority.host.contains(":") ? "[\(authority.host)]" : authority.host
    let usual: UInt16 = scheme == "https" ? 443 : 80
    return authority.port.flatMap { $0 == usual ? nil : "\(host):\($0)" } ?? host
  }

  private static func isLocal(_ host: String) -> Bool {
    host == "localhost" || host.hasSuffix(".localhost") || host == "127.0.0.1" || host == "::1"
  }
}
