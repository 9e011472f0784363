import Reminders
import Yams

/// What a configuration file says, setting by setting, for those who look at it.
struct StatedSettings {
  struct Setting {
    /// `retention.events`, `sinks.webhook.url`.
    let name: String
    /// Nil where it may hold a secret.
    let text: String?
    let line: Int?
  }

  private(set) var settings: [Setting] = []

  init() {}

  init(_ root: Node) {
    for (key, value) in root.mapping ?? [:] {
      guard let name = key.string else { continue }
      name == "sinks" ? addSinks(value) : add(name, key, value)
    }
  }

  func line(of name: String) -> Int? { settings.first { $0.name == name }?.line }

  /// In the order of the file.
  func settings(ofSink name: String) -> [Setting] {
    settings.filter { $0.name.hasPrefix("sinks.\(name).") }
  }

  private mutating func add(_ name: String, _ key: Node, _ value: Node) {
    guard let mapping = value.mapping else {
      settings.append(Setting(name: name, text: nil, line: key.mark?.line))
      return
    }
    for (part, value) in mapping { add("\(name).\(part.string ?? "")", part, value) }
  }

  private mutating func addSinks(_ node: Node) {
    for (name, sink) in node.mapping ?? [:] {
      for (key, value) in sink.mapping ?? [:] {
        let word = key.string ?? ""
        settings.append(
          Setting(
            name: "sinks.\(name.string ?? "").\(word)",
            text: SinkDisclosure.text(of: value, as: word), line: key.mark?.line))
      }
    }
  }
}

/// What of a sink's settings may be seen. Secrets never stand in a configuration (rule S4), but
/// what is sent along may be as good as one: whatever is not known to be none is not shown.
enum SinkDisclosure {
  /// What holds words, numbers, files and addresses of the service's own.
  private static let open: Set = [
    "type", "requires", "deadline", "concurrency", "rate", "file", "rotate", "keep", "source",
    "allow", "ca", "trust", "method", "delivered", "retry", "rejected", "priority", "tags", "from",
    "reply-to", "tls", "user", "templates", "unsubscribe", "project", "platforms", "channel",
    "silent-channel", "tone", "key-id", "team-id", "subject", "memory", "recipient", "bus",
    "urgency", "expire", "ehlo", "retry-4xx",
  ]
  private static let addresses: Set = ["url", "server", "endpoint", "proxy"]

  /// - Parameter key: what the setting is called.
  /// - Returns: nil for what is not shown.
  static func text(of node: Node, as key: String) -> String? {
    if let names = credentials(node) { return names }
    if addresses.contains(key) { return node.string.flatMap(origin) }
    // Of a program what it is given may be a secret.
    if key == "command" { return node.sequence?.first?.string.map { "\($0) …" } }
    return open.contains(key) ? plain(node) : nil
  }

  private static func plain(_ node: Node) -> String? {
    if let text = node.string { return text }
    guard let sequence = node.sequence else { return nil }
    let texts = sequence.compactMap(\.string)
    return texts.count == sequence.count ? texts.joined(separator: ", ") : nil
  }

  /// The names of credentials, where there is nothing else; they are no secrets.
  private static func credentials(_ node: Node) -> String? {
    if let mapping = node.mapping {
      if let name = mapping["credential"]?.string, mapping.count == 1 {
        return "{credential: \(name)}"
      }
      return joined(mapping.map(\.value))
    }
    return node.sequence.flatMap { joined(Array($0)) }
  }

  private static func joined(_ nodes: [Node]) -> String? {
    let names = nodes.compactMap(credentials)
    return names.count == nodes.count && !names.isEmpty ? names.joined(separator: ", ") : nil
  }

  /// `https://example.org/…`: who knows the path of some services may send by them.
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
