/// The refusal of a name that the system's database does not have (rule T4).
package struct UnknownZone: Error, Hashable, Sendable {
  package let name: String
  /// The most similar names first; empty if nothing is similar.
  package let nearest: [String]
  /// The file the name stands for, if there is one but it makes no sense.
  package let damagedFile: String?
  /// What the name is instead, with the names to give; nil if that is not known.
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

extension UnknownZone: CustomStringConvertible {
  package var description: String {
    if let damagedFile {
      return NameRefusal.quoted(name)
        + " cannot be used: \(damagedFile) is damaged; reinstall the tzdata package"
    }
    if let hint { return NameRefusal.quoted(name) + " is " + hint }
    if let offset = WrittenOffset(name) {
      return NameRefusal.quoted(name) + " is an offset and no time zone; " + offset.advice
    }
    return NameRefusal.sentence(name, isNot: "a time zone of this system", nearest: nearest)
  }
}
