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
      return NameRefusal.quoted(name)
        + " cannot be used: \(damagedFile) is damaged; reinstall the tzdata package"
    }
    return NameRefusal.sentence(name, isNot: "a time zone of this system", nearest: nearest)
  }
}
