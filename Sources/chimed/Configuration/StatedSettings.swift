import Reminders
import Yams

/// The settings that a configuration file contains, for display.
struct StatedSettings {
  struct Setting {
    /// The path of the setting: `retention.events`, `sinks.webhook.url`.
    let name: String
    /// The value of a policy or of a sink's setting. Nil for all other settings, and if the value
    /// may contain a secret.
    let text: String?
    /// The line of the file, from 1; nil if it is unknown.
    let line: Int?
  }

  private(set) var settings: [Setting] = []

  init() {}

  init(_ root: Node) {
    for (key, value) in root.mapping ?? [:] {
      switch key.string {
      case "sinks": addSinks(value)
      case "policies": addPolicies(value)
      case let name?: add(name, key, value)
      case nil: continue
      }
    }
  }

  func line(of name: String) -> Int? { settings.first { $0.name == name }?.line }

  /// Returns the settings below a path such as `sinks.webhook`, in the order of the file.
  func settings(under path: String) -> [Setting] {
    settings.filter { $0.name.hasPrefix(path + ".") }
  }

  private mutating func add(_ name: String, _ key: Node, _ value: Node) {
    guard let mapping = value.mapping else {
      settings.append(Setting(name: name, text: nil, line: key.mark?.line))
      return
    }
    for (member, value) in mapping { add("\(name).\(member.string ?? "")", member, value) }
  }

  /// Adds the parts of the policies, each in one line.
  private mutating func addPolicies(_ node: Node) {
    for (key, value) in node.mapping ?? [:] {
      settings.append(
        Setting(
          name: "policies.\(key.string ?? "")", text: value.inOneLine, line: key.mark?.line))
    }
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
