package import CivilTime
package import Reminders
package import Store

/// Selects the reminders whose occurrences another catalog ends. The query reads all recipients.
package struct EndedRemindersQuery: EngineQuery {
  /// The planner with the other catalog.
  package var planner: Planner

  package init(by planner: Planner) {
    self.planner = planner
  }

  /// How many recipients are read at once, from one snapshot.
  private static let batchSize: UInt32 = 1_000

  package func answer(
    from questions: Questions, now: Instant
  ) throws(StoreError) -> [EndedReminder] {
    let former = questions.published.view.planner
    guard former.catalog.fingerprint != planner.catalog.fingerprint else { return [] }
    let change = PlannerChange(from: former, to: planner)
    var ended = EndedReminders()
    let last = try questions.readers.read { try $0.lastRecipient() }
    for first in stride(from: 1, through: last, by: Int(Self.batchSize)) {
      let rows = Array(first...min(last, first + Self.batchSize - 1))
      for stored in try questions.readers.read({ try $0.recipients(rows: rows[...]) }) {
        ended.add(EndedOccurrences(of: stored, by: change))
      }
    }
    return ended.all
  }
}

/// A reminder whose occurrences other catalogs end. If these catalogs do not declare the reminder,
/// even under another name, all its pending occurrences end. Otherwise only occurrences end that a
/// gate holds back and that are no longer planned.
package struct EndedReminder: Hashable, Sendable {
  package var reminder: String
  /// The number of recipients whose occurrences end.
  package var people: Int
  /// The number of occurrences that end.
  package var occurrences: Int

  package init(reminder: String, people: Int = 0, occurrences: Int = 0) {
    (self.reminder, self.people, self.occurrences) = (reminder, people, occurrences)
  }
}

/// The occurrences of one recipient that other catalogs end.
struct EndedOccurrences {
  /// The ended occurrences of one reminder.
  fileprivate struct Entry {
    let symbol: Symbol
    let name: String
    /// The keys of the occurrences without a record.
    var planned: Set<Int64>
    /// The number of occurrences with a record.
    var recorded = 0
  }

  /// The row of the recipient.
  let row: UInt32
  fileprivate var entries: [Entry] = []

  init(of stored: StoredRecipient, by change: PlannerChange) {
    row = stored.row
    for (symbol, keys) in stored.recipient.endedKeys(by: change) {
      let catalogs = [change.former.catalog, change.planner.catalog]
      let catalog = catalogs.first { $0.reminder(symbol) != nil }
      guard let catalog, let reminder = catalog.reminder(symbol) else { continue }
      entries.append(Entry(symbol: symbol, name: catalog.name(of: reminder), planned: keys))
    }
  }

  /// Notes that some of the occurrences are recorded.
  mutating func record(_ firings: [Firing]) {
    for index in entries.indices {
      for firing in firings where firing.reminder == entries[index].symbol {
        if entries[index].planned.remove(firing.key) != nil { entries[index].recorded += 1 }
      }
    }
  }
}

/// The numbers of occurrences that other catalogs end, by reminder.
struct EndedReminders {
  private struct Count {
    /// The rows of recipients with recorded occurrences.
    var rows: Set<UInt32> = []
    /// The number of recorded occurrences.
    var recorded = 0
    /// The number of other recipients, who have occurrences planned for later.
    var others = 0
    /// The number of occurrences without a record.
    var planned = 0
  }

  private var counts: [String: Count] = [:]

  var isEmpty: Bool { counts.isEmpty }

  /// The entries in the order of the reminders' identifiers.
  var all: [EndedReminder] {
    counts.sorted { $0.key < $1.key }.map { name, count in
      EndedReminder(
        reminder: name, people: count.rows.count + count.others,
        occurrences: count.recorded + count.planned)
    }
  }

  /// Adds a recipient. A recipient whose planned occurrences were added before is counted twice.
  mutating func add(_ ended: EndedOccurrences) {
    for entry in ended.entries {
      var count = counts.removeValue(forKey: entry.name) ?? Count()
      if entry.recorded > 0 { count.rows.insert(ended.row) }
      if !count.rows.contains(ended.row) { count.others += 1 }
      count.recorded += entry.recorded
      count.planned += entry.planned.count
      counts[entry.name] = count
    }
  }

  /// Forgets the occurrences that are not recorded, to count them again.
  mutating func forgetPlanned() {
    counts = counts.filter { $0.value.recorded > 0 }
      .mapValues { Count(rows: $0.rows, recorded: $0.recorded) }
  }
}
