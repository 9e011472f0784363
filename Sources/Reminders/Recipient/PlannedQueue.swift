import CivilTime

/// A recipient's planned occurrences in order of time, so that a simulation does not have to
/// evaluate all reminders at each instant.
struct PlannedQueue {
  /// A reminder with its due occurrences.
  struct Due {
    let reminder: Reminder
    /// The reminder's index among the planned reminders.
    let order: Int
    /// The due occurrences of a reminder with several entities; empty for a series.
    var occurrences: [Occurrence] = []
    /// The index of the entity whose plan is the series; nil if there is no such entity.
    var item: Int?
  }

  /// A planned occurrence.
  private struct Entry {
    let reminder: Reminder
    /// The reminder's index among the planned reminders.
    let order: Int
    let occurrence: Occurrence
    /// The instant at which the occurrence is due: its planned instant, or an earlier one (rule
    /// V15).
    let dueInstant: Instant
  }

  /// The next occurrence of each series.
  private var series: [Entry] = []
  /// All occurrences of other reminders, in descending order.
  private var items: [Entry] = []
  /// The reminders that have or had occurrences in `items`.
  private var itemReminders: [Reminder] = []

  init(_ recipient: Recipient, in context: PlanningContext) {
    var order = 0
    let progress = recipient.progress
    context.forEachPlanned { reminder in
      let count = items.count
      context.forEachNext(reminder, after: progress.cutoff, progress: progress) { occurrence in
        let dueInstant = context.dueInstant(of: occurrence, of: reminder, after: progress.cutoff)
        let entry = Entry(
          reminder: reminder, order: order, occurrence: occurrence, dueInstant: dueInstant)
        let isSeries = reminder.isRepeating || !reminder.allowsSeveralPending
        if isSeries { series.append(entry) } else { items.append(entry) }
      }
      if items.count > count { itemReminders.append(reminder) }
      order += 1
    }
    items.sort { $0.dueInstant > $1.dueInstant }
  }

  var count: Int { series.count + items.count }

  /// The next instant at which an occurrence is due; nil if there is none.
  var next: Instant? {
    Work.count(series.count + 1)
    var next = items.last?.dueInstant
    for entry in series { next = min(next ?? entry.dueInstant, entry.dueInstant) }
    return next
  }

  /// Removes and returns the occurrences due by an instant, grouped by reminder, in the order of
  /// the reminders.
  mutating func takeDue(by now: Instant) -> [Due] {
    var due: [Due] = []
    for entry in series where entry.dueInstant <= now {
      due.append(
        Due(reminder: entry.reminder, order: entry.order, item: entry.occurrence.item))
    }
    if !due.isEmpty { series.removeAll { $0.dueInstant <= now } }
    var indices: [Int: Int] = [:]
    while let item = items.last, item.dueInstant <= now {
      items.removeLast()
      let index = indices[item.order] ?? due.count
      if index == due.count { due.append(Due(reminder: item.reminder, order: item.order)) }
      indices[item.order] = index
      due[index].occurrences.append(item.occurrence)
    }
    if due.count > 1 { due.sort { ($0.order, $0.item ?? 0) < ($1.order, $1.item ?? 0) } }
    return due
  }

  /// Adds the next occurrence of a series.
  mutating func add(_ occurrence: Occurrence, after due: Due) {
    series.append(
      Entry(
        reminder: due.reminder, order: due.order, occurrence: occurrence,
        dueInstant: occurrence.planned))
  }

  /// Returns whether the queue may have an occurrence of a matching reminder.
  func mayHave(_ isMatch: (Reminder) -> Bool) -> Bool {
    Work.count(series.count + itemReminders.count)
    return series.contains { isMatch($0.reminder) } || itemReminders.contains(where: isMatch)
  }

  /// Calls `body` for each occurrence due before an instant, including later occurrences of a
  /// series.
  func forEachPlanned(
    before end: Instant, progress: Progress, in context: PlanningContext,
    _ body: (Reminder, Occurrence) -> Void
  ) {
    Work.count(series.count)
    for entry in series {
      context.forEachPlanned(
        entry.occurrence, of: entry.reminder, before: end, progress: progress, body)
    }
    for entry in items.reversed() {
      guard entry.dueInstant < end else { return }
      body(entry.reminder, entry.occurrence)
    }
  }
}
