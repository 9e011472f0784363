/// Why the system's time zone database cannot be used.
package enum ZoneDatabaseError: Error, Hashable, Sendable {
  /// The directory cannot be listed; `reason` is the system's.
  case unreadable(directory: String, reason: String)
  /// The directory holds not one TZif file.
  case empty(directory: String)
  /// Files such as that of `zone` do not list the changes of clocks to come, but only rules for
  /// them, and would be misread.
  case slim(directory: String, zone: String)
}

extension ZoneDatabaseError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unreadable(let directory, let reason):
      "cannot read the time zone database in \(directory): \(reason); \(Self.remedy)"
    case .empty(let directory):
      "the time zone database in \(directory) has no zones; \(Self.remedy)"
    case .slim(let directory, let zone):
      "the time zone database in \(directory) is in the slim form, as in \(zone); "
        + "\(Self.remedy), or compile it with zic -b fat"
    }
  }

  private static let remedy = "install the tzdata package or set TZDIR to its directory"
}
