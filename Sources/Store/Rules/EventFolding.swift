package import CivilTime
package import Reminders

/// Folds events of a recipient, given by name, into the base of the recipient's facts (rule H30).
package typealias EventFolding = (inout FactBase, [StoredEvent], String) -> Void

extension StoreWriter {
  /// Folds events that are about to be removed into the bases of their recipients. If an earlier
  /// event stays, the base leads to it, because the chain of events ends at the removed one.
  ///
  /// - Parameters:
  ///   - events: the events in the order of arrival.
  ///   - end: the instant at which the retention begins.
  ///   - fold: folds the events of one recipient.
  /// - Complexity: reads and writes a row for each of the recipients, and reads one for each event
  ///   whose previous one is not removed too.
  package func fold(
    _ events: [RemovedEvent], before end: Instant, by fold: EventFolding
  ) throws {
    guard !events.isEmpty else { return }
    let removed = Set(events.map(\.event.order))
    let previous = Set(events.map(\.previous)).subtracting(removed).subtracting([0])
    let kept = Set(try self.events(orders: previous.sorted()).map(\.order))
    let eventsByRow = Dictionary(grouping: events, by: \.row)
    let rows = eventsByRow.keys.sorted()
    let bases = try factBases(of: rows)
    for stored in try recipients(rows: rows[...]) {
      var base = bases[stored.row] ?? FactBase()
      let removedEvents = eventsByRow[stored.row, default: []]
      fold(&base, removedEvents.map(\.event), stored.recipient.name)
      base.link(to: removedEvents.map(\.previous).filter(kept.contains), without: removed)
      base.forgetRequests(expiredBefore: end)
      base.forgetPersons(notIn: stored.recipient.facts)
      try save(base, of: stored)
    }
  }

  /// Removes requests that expired before the retention from the bases of some recipients. So the
  /// texts of a silent recipient do not stay.
  ///
  /// - Parameters:
  ///   - end: the instant at which the retention begins.
  ///   - limit: the maximum number of recipients.
  /// - Returns: the number of changed bases; fewer than `limit` if no others are left.
  package func forgetRequests(expiredBefore end: Instant, limit: Int) throws -> Int {
    let rows = try recipientsOfBases(expiredBefore: end, limit: limit)
    let bases = try factBases(of: rows)
    let recipients = try self.recipients(rows: rows.sorted()[...])
    for stored in recipients {
      guard var base = bases[stored.row] else { continue }
      base.forgetRequests(expiredBefore: end)
      try save(base, of: stored)
    }
    return recipients.count
  }
}
