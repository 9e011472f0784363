/// The error for a name that is no zone of the system's tz database, or whose file is damaged (rule
/// T4).
package struct UnknownZoneError: Error, Hashable, Sendable {
  /// The name as it was given.
  package let name: String
  /// Similar names, the most similar first; empty if there are none.
  package let nearest: [String]
  /// The path of the zone's file if it is damaged; otherwise nil.
  package let damagedFile: String?
  /// A clause that says what kind of name the unknown name is, such as an abbreviation, and which
  /// names to use instead; nil if the kind is unknown.
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
