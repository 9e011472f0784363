package import CivilTime

extension StoreTransaction {
  /// Under which the store notes when a clock that was set back was taken for right.
  private static let trustNote = "clock trusted"

  /// The time of the last thing that was recorded since the clock was last taken for right; nil in
  /// a store that has recorded nothing.
  package func newestRecord() throws -> Instant? {
    let note = try note(Self.trustNote)?.split(separator: " ").compactMap { Int64($0) } ?? []
    let trusted = note.count == 3 ? note : [0, 0, 0]
    statements.newestRecord.bind(1, trusted[1])
    statements.newestRecord.bind(2, trusted[2])
    let newest = try statements.newestRecord.first { $0.integer(0) } ?? 0
    let latest = max(newest, trusted[0])
    return latest > 0 ? Instant(milliseconds: latest) : nil
  }

  /// Notes that the clock is right now: what was recorded before does not count against it.
  package func trustClock(at now: Instant) throws {
    let places = [now.milliseconds, statements.nextEvent - 1, statements.nextNotification - 1]
    try saveNote(Self.trustNote, places.map(String.init).joined(separator: " "))
  }
}
