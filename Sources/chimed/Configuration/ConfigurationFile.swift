import CivilTime
import Delivery
import Foundation
import Reminders
import Sinks
import Yams

/// What an operator's configuration file says; what it leaves out has its default.
struct ConfigurationFile {
  var stateDirectory: String?
  var socket: String?
  var listen: String?
  var hosts: [String] = []
  var tokens = WebTokens()
  var catalogs: [String] = []
  var defaultZone: String?
  var holidays: String?
  var daysOff: [String] = []
  /// How long a clock that has leapt ahead has to stay there until it is believed (rule T6).
  var clockPatience = TimeSpan.minutes(5)
  var delivery = DeliveryConfiguration(sinks: [], routes: Routes([:]))

  /// How JSON Web Tokens are verified.
  struct WebTokens {
    var keys: String?
    var issuer: String?
    var audience: String?
  }

  /// Without a path, a file that says nothing.
  ///
  /// - Throws: everything that is wrong in it, with line and column.
  static func read(_ path: String?) throws(ConfigurationErrors) -> ConfigurationFile {
    let (file, diagnostics) = look(at: path)
    guard diagnostics.isEmpty else { throw ConfigurationErrors(diagnostics: diagnostics) }
    return file
  }

  /// What could be read in spite of what is wrong.
  static func look(at path: String?) -> (file: ConfigurationFile, diagnostics: [Diagnostic]) {
    guard let path else { return (ConfigurationFile(), []) }
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      return (
        ConfigurationFile(), [Diagnostic(file: path, message: "cannot be read as UTF-8 text")]
      )
    }
    var reader = ConfigurationFileReader(file: path)
    return (reader.read(text), reader.diagnostics)
  }
}

/// Everything that is wrong in a configuration file.
struct ConfigurationErrors: Error, CustomStringConvertible {
  let diagnostics: [Diagnostic]

  var description: String { diagnostics.map(\.description).joined(separator: "\n") }
}

/// Reads a configuration file.
struct ConfigurationFileReader: YAMLReading {
  let file: String
  var diagnostics: [Diagnostic] = []
  private var members: [String: Node] = [:]

  private static let keys = [
    "state-directory", "socket", "listen", "hosts", "jwt", "catalogs", "default-zone", "holidays",
    "days-off", "clock", "sinks", "routes",
  ]

  init(file: String) {
    self.file = file
  }

  mutating func read(_ text: String) -> ConfigurationFile {
    var result = ConfigurationFile()
    guard let root = compose(text) else { return result }
    defer { sortDiagnostics(from: 0) }
    members = members(root, of: "a configuration", allowed: Self.keys)
    result.stateDirectory = self.text("state-directory")
    result.socket = self.text("socket")
    result.listen = self.text("listen")
    result.hosts = texts("hosts")
    result.tokens = webTokens()
    result.catalogs = texts("catalogs")
    result.defaultZone = self.text("default-zone")
    result.holidays = self.text("holidays")
    result.daysOff = texts("days-off")
    if let patience = clockPatience() { result.clockPatience = patience }
    var reader = DeliveryConfigurationReader(file: file)
    result.delivery = reader.read(sinks: members["sinks"], routes: members["routes"])
    diagnostics += reader.diagnostics
    return result
  }

  private mutating func text(_ key: String) -> String? {
    members[key].flatMap { text($0, key) }
  }

  private mutating func texts(_ key: String) -> [String] {
    guard let node = members[key] else { return [] }
    guard let sequence = node.sequence else { return text(node, key).map { [$0] } ?? [] }
    var texts: [String] = []
    for entry in sequence {
      if let text = text(entry, "an entry of \(key)") { texts.append(text) }
    }
    return texts
  }

  private mutating func clockPatience() -> TimeSpan? {
    guard let node = members["clock"] else { return nil }
    let parts = members(node, of: "clock", allowed: ["patience"])
    return parts["patience"].flatMap { span($0, "patience") }
  }

  private mutating func webTokens() -> ConfigurationFile.WebTokens {
    var tokens = ConfigurationFile.WebTokens()
    guard let node = members["jwt"] else { return tokens }
    let parts = members(
      node, of: "jwt", allowed: ["keys", "issuer", "audience"], required: ["keys"])
    tokens.keys = parts["keys"].flatMap { text($0, "keys") }
    tokens.issuer = parts["issuer"].flatMap { text($0, "issuer") }
    tokens.audience = parts["audience"].flatMap { text($0, "audience") }
    return tokens
  }
}
