import Reminders
import Store

/// A reminder of which other catalogs end occurrences: all pending ones if they do not declare it
/// under any name, otherwise held ones that are no longer planned.
package struct EndedReminder: Hashable, Sendable {
  package var reminder: String
  package var people: Int
  package var occurrences: Int

  package init(reminder: String, people: Int = 0, occurrences: Int = 0) {
    (self.reminder, self.people, self.occurrences) = (reminder, people, occurrences)
  }
}

/// The numbers of occurrences that other catalogs end, by reminder.
struct EndedReminders {
  private var counts: [String: EndedReminder] = [:]

  var isEmpty: Bool { counts.isEmpty }

  /// The entries in the order of the reminders' identifiers.
  var all: [EndedReminder] { counts.values.sorted { $0.reminder < $1.reminder } }

  /// Counts the occurrences that end for a recipient.
  mutating func count(_ recipient: Recipient, by change: PlannerChange) {
    for (symbol, keys) in recipient.ended(by: change) {
      let catalogs = [change.former.catalog, change.planner.catalog]
      let catalog = catalogs.first { $0.reminder(symbol) != nil }
      guard let catalog, let reminder = catalog.reminder(symbol) else { continue }
      let name = catalog.name(of: reminder)
      add(EndedReminder(reminder: name, people: 1, occurrences: keys.count))
    }
  }

  mutating func add(_ other: EndedReminders) {
    for ended in other.counts.values { add(ended) }
  }

  private mutating func add(_ ended: EndedReminder) {
    var count = counts[ended.reminder] ?? EndedReminder(reminder: ended.reminder)
    count.people += ended.people
    count.occurrences += ended.occurrences
    counts[ended.reminder] = count
  }
}

extension Questions {
  /// How many recipients are read at once: each batch has a snapshot of its own.
  private static let endedBatch: UInt32 = 1_000

  /// Returns the occurrences that other catalogs end. Reads all recipients.
  func ended(by planner: Planner) throws(StoreError) -> [EndedReminder] {
    let former = published.view.planner
    guard former.catalog.fingerprint != planner.catalog.fingerprint else { return [] }
    let change = PlannerChange(from: former, to: planner)
    var ended = EndedReminders()
    let last = try readers.read { try $0.lastRecipient() }
    for first in stride(from: 1, through: last, by: Int(Self.endedBatch)) {
      let rows = Array(first...min(last, first + Self.endedBatch - 1))
      for stored in try readers.read({ try $0.recipients(rows: rows[...]) }) {
        ended.count(stored.recipient, by: change)
      }
    }
    return ended.all
  }
}
