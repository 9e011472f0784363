import Reminders
import Store

/// A reminder that another catalog does not declare any more, under any name, and the occurrences
/// of it that are held and end with it.
package struct EndedReminder: Hashable, Sendable {
  package var reminder: String
  package var people: Int
  package var occurrences: Int

  package init(reminder: String, people: Int = 0, occurrences: Int = 0) {
    (self.reminder, self.people, self.occurrences) = (reminder, people, occurrences)
  }
}

extension Questions {
  /// How many recipients are read at once: between them a snapshot of the store ends.
  private static let endedBatch: UInt32 = 1_000

  /// Returns what a catalog ends. Where a reminder is gone, all recipients are read.
  func ended(by planner: Planner) throws(StoreError) -> [EndedReminder] {
    let gone = published.view.planner.catalog.reminders.filter {
      planner.catalog.reminder($0.symbol) == nil
    }
    guard !gone.isEmpty else { return [] }
    var ended = Dictionary(
      uniqueKeysWithValues: gone.map { ($0.symbol, EndedReminder(reminder: $0.identifier)) })
    let last = try readers.read { try $0.lastRecipient() }
    for first in stride(from: 1, through: last, by: Int(Self.endedBatch)) {
      let rows = Array(first...min(last, first + Self.endedBatch - 1))
      for stored in try readers.read({ try $0.recipients(rows: rows[...]) }) {
        Self.count(stored.recipient.progress.underWay, &ended)
      }
    }
    return gone.compactMap { ended[$0.symbol] }
  }

  private static func count(
    _ held: [Progress.UnderWay], _ ended: inout [Symbol: EndedReminder]
  ) {
    let keys = Dictionary(grouping: held.filter { ended[$0.reminder] != nil }, by: \.reminder)
    for (reminder, entries) in keys {
      ended[reminder]?.people += 1
      ended[reminder]?.occurrences += Set(entries.map(\.key)).count
    }
  }
}
