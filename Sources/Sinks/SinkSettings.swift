package import CivilTime
package import Reminders
import Systemd
import Yams

/// Reads the settings of one sink.
///
/// For an absent or faulty setting, a function returns nil or an empty list. Faults are collected,
/// so that all are found at once.
package struct SinkSettings: YAMLReading {
  /// The name of the sink.
  package let name: String
  /// The path of the configuration file.
  package let file: String
  package var diagnostics: [Diagnostic] = []
  /// The mapping that contains the settings.
  private let node: Node
  /// The settings by their keys.
  private let members: [String: Node]

  init(name: String, file: String, node: Node, members: [String: Node]) {
    self.name = name
    self.file = file
    self.node = node
    self.members = members
  }

  package func has(_ key: String) -> Bool { members[key] != nil }

  package mutating func text(_ key: String) -> String? {
    members[key].flatMap { text($0, key) }
  }

  package mutating func number(_ key: String, in range: ClosedRange<Int64>) -> Int64? {
    guard let node = members[key], let number = number(node, key) else { return nil }
    guard range.contains(number) else {
      report(node, "\(key) must be from \(range.lowerBound) to \(range.upperBound)")
      return nil
    }
    return number
  }

  package mutating func span(_ key: String, in range: ClosedRange<TimeSpan>) -> TimeSpan? {
    guard let node = members[key], let span = span(node, key) else { return nil }
    guard range.contains(span) else {
      report(node, "\(key) must be from \(range.lowerBound) to \(range.upperBound)")
      return nil
    }
    return span
  }

  package mutating func toggle(_ key: String) -> Bool? {
    members[key].flatMap { toggle($0, key) }
  }

  /// Returns the texts of a setting that may be one text or a list; empty if absent.
  package mutating func texts(_ key: String) -> [String] {
    guard let node = members[key] else { return [] }
    guard let sequence = node.sequence else { return text(node, key).map { [$0] } ?? [] }
    var texts: [String] = []
    for entry in sequence {
      if let text = text(entry, "an entry of \(key)") { texts.append(text) }
    }
    return texts
  }

  /// Returns a mapping of names to texts; empty if absent.
  package mutating func pairs(_ key: String) -> [(name: String, value: String)] {
    var pairs: [(name: String, value: String)] = []
    for entry in keyedEntries(members[key], key) {
      if let value = text(entry.value, entry.name) { pairs.append((entry.name, value)) }
    }
    return pairs
  }

  /// Returns the location of a secret: the name of a credential, or the absolute path of a file.
  /// The configuration never contains the secret itself (rule S4).
  package mutating func credential(_ key: String) -> String? {
    members[key].flatMap { credential($0, key) }
  }

  /// Returns the locations of one or several secrets.
  package mutating func credentials(_ key: String) -> [String] {
    guard let node = members[key] else { return [] }
    guard let sequence = node.sequence else { return credential(node, key).map { [$0] } ?? [] }
    var locations: [String] = []
    for entry in sequence {
      if let location = credential(entry, "an entry of \(key)") { locations.append(location) }
    }
    return locations
  }

  /// Returns the names of secrets, each with the location of its secret; empty if absent.
  package mutating func namedCredentials(
    _ key: String
  ) -> [(name: String, credential: String)] {
    var credentials: [(name: String, credential: String)] = []
    for entry in keyedEntries(members[key], key) {
      if let credential = credential(entry.value, entry.name) {
        credentials.append((entry.name, credential))
      }
    }
    return credentials
  }

  /// Parses `{credential: NAME}` or `{file: PATH}`, without opening the file.
  private mutating func credential(_ node: Node, _ description: String) -> String? {
    let mapping = node.mapping.flatMap { $0.count == 1 ? $0 : nil }
    if let name = mapping?["credential"]?.string, Credentials.isName(name) { return name }
    if let path = mapping?["file"]?.string, path.hasPrefix("/") { return Credentials.file(path) }
    report(
      node,
      "\(description) must be {credential: NAME}, or {file: PATH} with the absolute path of a file")
    return nil
  }

  /// Reads a setting that is a mapping, and reports the mapping's faults.
  mutating func part<Value>(
    _ key: String, _ keys: MappingKeys, _ read: (inout SinkSettings) -> Value?
  ) -> Value? {
    guard let node = members[key] else { return nil }
    let members = members(node, of: "\(key) of the sink \"\(name)\"", keys)
    var part = SinkSettings(name: name, file: file, node: node, members: members)
    let isComplete = keys.requiredNames.allSatisfy { members[$0] != nil }
    let value = isComplete ? read(&part) : nil
    diagnostics += part.diagnostics
    return value
  }

  /// Reports a fault of a value.
  package mutating func refuse(_ key: String, _ message: String) {
    report(members[key] ?? node, "\(key) \(message)")
  }
}

extension SinkSettings {
  /// Parses a number of bytes: "100MB" in units of 1,000, or "64KiB" in units of 1,024.
  package mutating func bytes(_ key: String, in range: ClosedRange<Int64>) -> Int64? {
    guard let text = text(key) else { return nil }
    guard let bytes = Self.bytes(text) else {
      refuse(key, "must be a number of bytes such as 500kB, 100MB or 2GiB")
      return nil
    }
    guard range.contains(bytes) else {
      refuse(key, "must be from \(range.lowerBound) to \(range.upperBound) bytes")
      return nil
    }
    return bytes
  }

  /// Parses a number of bytes; nil if the text is not one, or if the number overflows 64 bits.
  package static func bytes(_ text: String) -> Int64? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let unit = text.dropFirst(digits.count).drop { $0 == " " }
    guard let count = Int64(digits), let factor = units[String(unit)] else { return nil }
    let (bytes, overflow) = count.multipliedReportingOverflow(by: factor)
    return overflow ? nil : bytes
  }

  /// The number of bytes of each unit.
  private static let units: [String: Int64] = [
    "": 1, "B": 1, "kB": 1_000, "KB": 1_000, "MB": 1_000_000, "GB": 1_000_000_000, "KiB": 1 << 10,
    "MiB": 1 << 20, "GiB": 1 << 30,
  ]
}

extension SinkSettings {
  /// Returns a name for a push service: 1 to 128 letters, digits, ".", "-" and "_".
  mutating func plainName(_ key: String) -> String? {
    guard let name = text(key) else { return nil }
    let isPlain = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: ".-_".utf8.contains(byte)
      }
    }
    guard isPlain, (1...128).contains(name.utf8.count) else {
      refuse(key, "must be of letters, digits, \".\", \"-\" and \"_\"")
      return nil
    }
    return name
  }
}

/// The reason why a sink cannot be created, with the name of the sink.
package struct SinkCreationError: Error, CustomStringConvertible {
  /// The name of the sink.
  let sink: String
  let cause: any Error

  package var description: String { "the sink \"\(sink)\": \(cause)" }

  /// Whether the only cause is that this process has no credentials.
  package var lacksOnlyCredentials: Bool {
    (cause as? CredentialError)?.isWithoutCredentials == true
  }
}
