/// What came of a change of the tz database, once everyone is planned anew (rule T1).
package struct ZoneUpdate: Hashable, Sendable {
  /// The release of the database that is in force now.
  package var version: String
  /// The zones that have other rules than before.
  package var zones: Set<String>
  /// How many recipients were planned anew.
  package var recipients = 0
  /// How many of them live in one of the zones.
  package var affected = 0
  /// How many of their pending reminders have moved to another instant.
  package var moved = 0

  package init(version: String, zones: Set<String>) {
    self.version = version
    self.zones = zones
  }

  /// For the person who runs the service.
  package var description: String {
    let start = "the tz database is now \(version)"
    guard !zones.isEmpty else { return start + "; no zone has other rules than before" }
    return start + ", with other rules for \(list); of \(recipients) recipients, \(affected) live "
      + "there and were planned anew, and \(moved) of their pending reminders have moved"
  }

  /// The first of the zones.
  private var list: String {
    let shown = zones.sorted().prefix(4).joined(separator: ", ")
    return zones.count > 4 ? "\(shown) and \(zones.count - 4) more" : shown
  }
}
