/// The refusal of a name that the system's database does not have (rule T4).
package struct UnknownZone: Error, Hashable, Sendable {
  package let name: String
  /// The most similar names first; empty if nothing is similar.
  package let nearest: [String]
  /// The file the name stands for, if there is one but it makes no sense.
  package let damagedFile: String?

  package init(name: String, nearest: [String], damagedFile: String? = nil) {
    self.name = name
    self.nearest = nearest
    self.damagedFile = damagedFile
  }
}

extension UnknownZone: CustomStringConvertible {
  package var description: String {
    if let damagedFile {
      return "\(quotedName) cannot be used: \(damagedFile) is damaged; reinstall the tzdata package"
    }
    let refusal = "\(quotedName) is not a time zone of this system"
    guard !nearest.isEmpty else { return refusal }
    return refusal + "; did you mean " + Self.list(nearest) + "?"
  }

  /// The name as it may be shown: it came from outside, at any length and with any characters.
  private var quotedName: String {
    let start = name.unicodeScalars.prefix(64)
    return String(reflecting: start.endIndex == name.endIndex ? name : String(start) + "…")
  }

  private static func list(_ names: [String]) -> String {
    let quoted = names.map { "\"\($0)\"" }
    guard let last = quoted.last, quoted.count > 1 else { return quoted.joined() }
    return quoted.dropLast().joined(separator: ", ") + " or " + last
  }
}
