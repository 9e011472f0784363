import Yams

/// Decides which of a sink's settings are shown. Secrets do not belong in a configuration (rule
/// S4), but headers or bodies may contain API keys. So only settings that are known to be harmless
/// are shown.
enum SinkDisclosure {
  /// The keys whose values are shown: words, numbers, file paths, and chimed's own addresses, such
  /// as `from`.
  private static let shownKeys: Set = [
    "type", "requires", "deadline", "concurrency", "rate", "file", "rotate", "keep", "source",
    "allow", "ca", "trust", "method", "delivered", "retry", "rejected", "priority", "tags", "from",
    "reply-to", "tls", "user", "templates", "project", "platforms", "channel",
    "silent-channel", "tone", "key-id", "team-id", "subject", "memory", "recipient", "bus",
    "urgency", "expire", "ehlo", "retry-4xx",
  ]
  /// The keys whose values are the names of credentials or the paths of secret files.
  private static let secretKeys: Set = [
    "secret", "secrets", "basic", "token", "password", "key", "account",
  ]
  /// The keys whose values are addresses, which are shown up to the host.
  private static let addressKeys: Set = ["url", "server", "endpoint", "proxy"]

  /// - Parameter key: the key of the setting.
  /// - Returns: the text to show; nil to hide it.
  static func text(of node: Node, as key: String) -> String? {
    if secretKeys.contains(key) { return credentials(node) }
    if addressKeys.contains(key) { return node.string.flatMap(origin) }
    // The arguments of a program may contain a secret.
    if key == "command" { return node.sequence?.first?.string.map { "\($0) …" } }
    return shownKeys.contains(key) ? plainText(node) : nil
  }

  /// Returns a text or a list of texts; nil for any other node.
  private static func plainText(_ node: Node) -> String? {
    if let text = node.string { return text }
    guard let sequence = node.sequence else { return nil }
    let texts = sequence.compactMap(\.string)
    return texts.count == sequence.count ? texts.joined(separator: ", ") : nil
  }

  /// Returns the names of credentials and the paths of secret files, neither of which is secret;
  /// nil if the node contains anything else.
  private static func credentials(_ node: Node) -> String? {
    guard let mapping = node.mapping else {
      return node.sequence.flatMap { joined(Array($0)) }
    }
    return source(mapping) ?? joined(mapping.map(\.value))
  }

  /// Returns the source of a secret; nil if the mapping contains anything else.
  private static func source(_ mapping: Node.Mapping) -> String? {
    guard mapping.count == 1 else { return nil }
    if let name = mapping["credential"]?.string { return "{credential: \(name)}" }
    guard let path = mapping["file"]?.string, path.hasPrefix("/") else { return nil }
    return "{file: \(path)}"
  }

  private static func joined(_ nodes: [Node]) -> String? {
    let names = nodes.compactMap(credentials)
    return names.count == nodes.count && !names.isEmpty ? names.joined(separator: ", ") : nil
  }

  /// Returns a URL without its path, which may contain the key of a service:
  /// `https://example.org/…`.
  static func origin(_ url: String) -> String? {
    guard let scheme = url.firstRange(of: "://") else { return nil }
    let rest = url[scheme.upperBound...]
    let authority = rest.prefix { !"/?#".contains($0) }
    let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
    guard !host.isEmpty else { return nil }
    let path = rest.dropFirst(authority.count)
    return String(url[..<scheme.upperBound]) + host + (path.isEmpty || path == "/" ? "" : "/…")
  }
}
