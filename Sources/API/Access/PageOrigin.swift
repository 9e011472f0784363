/// The origin of web pages, as browsers send it (RFC 6454), such as `https://app.example`.
package struct PageOrigin: Hashable, Sendable, CustomStringConvertible {
  package let description: String

  /// Parses a text; nil unless it is a scheme, a host and an optional port, without a path. The
  /// scheme `http` is accepted only for pages that the visitor's own machine serves, because other
  /// pages without TLS could be changed on their way.
  package init?(_ text: String) {
    let scheme = text.prefix { $0 != ":" }.lowercased()
    guard scheme == "https" || scheme == "http", text.dropFirst(scheme.count).hasPrefix("://"),
      let authority = Authority(text.dropFirst(scheme.count + 3)), authority.port != 0
    else { return nil }
    let isLocal = Self.isLocal(authority.host)
    guard isLocal || (scheme == "https" && Self.isName(authority.host)) else { return nil }
    description = "\(scheme)://\(Self.browserText(authority, in: scheme))"
  }

  /// Returns the authority as browsers write it: without the scheme's default port, and with
  /// brackets around an IPv6 address.
  private static func browserText(_ authority: Authority, in scheme: String) -> String {
    let host = authority.host.contains(":") ? "[\(authority.host)]" : authority.host
    let defaultPort: UInt16 = scheme == "https" ? 443 : 80
    return authority.port.flatMap { $0 == defaultPort ? nil : "\(host):\($0)" } ?? host
  }

  private static func isLocal(_ host: String) -> Bool {
    ["localhost", "127.0.0.1", "::1"].contains(host)
      || (host.hasSuffix(".localhost") && isName(host))
  }

  /// Whether the host is a name, or an IPv4 address as browsers write it, in dotted decimal.
  /// Browsers read a host whose last label is a number as an IPv4 address.
  private static func isName(_ host: String) -> Bool {
    guard host.wholeMatch(of: /[a-z0-9-]+(?:\.[a-z0-9-]+)*/) != nil else { return false }
    let isNumber = host.wholeMatch(of: /(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)/) != nil
    return !isNumber || TCPAddress.isV4(host)
  }
}
