/// A zone for which the current tz database has no usable rules (rule T9).
package struct ZoneFault: Hashable, Sendable {
  /// The name of the zone.
  package let zone: String
  /// The path of the zone's file if the file is damaged; nil if it is missing.
  package let damagedFile: String?
  /// Whether the rules of an earlier tz database apply; otherwise the default zone applies.
  package let hasLastKnownRules: Bool
}

extension ZoneFault: CustomStringConvertible {
  /// The fault, its effect, and what to do.
  package var description: String {
    let fault =
      damagedFile.map { "the file \($0) of the time zone database is damaged" }
      ?? "the time zone database has no zone \(NameRefusal.quoted(zone))"
    let remedy =
      damagedFile == nil
      ? "install the package tzdata-legacy, or report another zone"
      : "reinstall the package tzdata"
    let effect = hasLastKnownRules ? "its last known rules apply" : "the default zone applies"
    return "\(fault), and \(effect); \(remedy)"
  }
}
