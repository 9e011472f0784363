package import CivilTime
package import Reminders

/// Folds events of a recipient, given by name, into the base of the recipient's facts (rule H30).
package typealias EventFolding = (inout FactBase, [StoredEvent], String) -> Void

extension StoreWriter {
  /// Folds events that are about to be removed into the bases of their recipients.
  ///
  /// - Parameters:
  ///   - events: the events in the order of arrival, each with the row of its recipient.
  ///   - end: the instant at which the retention begins.
  ///   - fold: folds the events of one recipient.
  /// - Complexity: reads and writes a row for each of the recipients.
  package func fold(
    _ events: [(row: UInt32, event: StoredEvent)], before end: Instant, by fold: EventFolding
  ) throws {
    guard !events.isEmpty else { return }
    let eventsByRow = Dictionary(grouping: events, by: \.row)
    let rows = eventsByRow.keys.sorted()
    let bases = try factBases(of: rows)
    for stored in try recipients(rows: rows[...]) {
      var base = bases[stored.row] ?? FactBase()
      fold(&base, eventsByRow[stored.row, default: []].map(\.event), stored.recipient.name)
      base.forgetRequests(expiredBefore: end)
      base.forgetPersons(notIn: stored.recipient.facts)
      try save(base, of: stored)
    }
  }
}
