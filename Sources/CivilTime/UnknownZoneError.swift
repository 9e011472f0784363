/// Thrown for a name that is not in the system's database (rule T4).
package struct UnknownZoneError: Error, Hashable, Sendable {
  package let name: String
  /// The most similar names first; empty without similar ones.
  package let nearest: [String]
  /// The file of the name, if it exists and is damaged.
  package let damagedFile: String?
  /// Why the name is no zone (an abbreviation, an offset), with names to use; nil if unknown.
  package let hint: String?

  package init(
    name: String, nearest: [String], damagedFile: String? = nil, hint: String? = nil
  ) {
    self.name = name
    self.nearest = nearest
    self.damagedFile = damagedFile
    self.hint = hint
  }
}

extension UnknownZoneError: CustomStringConvertible {
  package var description: String {
    if let damagedFile {
      return NameRefusal.quoted(name)
        + " cannot be used: \(damagedFile) is damaged; reinstall the tzdata package"
    }
    if let hint { return NameRefusal.quoted(name) + " is " + hint }
    if let offset = WrittenOffset(name) {
      return NameRefusal.quoted(name) + " is an offset, not a time zone; " + offset.advice
    }
    return NameRefusal.sentence(name, isNot: "a time zone of this system", nearest: nearest)
  }
}
