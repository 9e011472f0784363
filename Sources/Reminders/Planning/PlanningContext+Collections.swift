import CivilTime

/// The events about which notifications were already sent, before a setting selected a collection:
/// a calendar reminder with one notification about several events (rule V11).
struct SentEvents {
  /// The indices of the items that were sent one by one.
  private(set) var items: Set<Int> = []
  /// Events before this instant count as sent: they were collected, or are too old to be known
  /// individually.
  private(set) var end: Instant?

  var isEmpty: Bool { items.isEmpty && end == nil }

  func contains(_ item: Int, at time: Instant) -> Bool {
    end.map { time < $0 } ?? false || items.contains(item)
  }

  mutating func add(until instant: Instant) {
    end = max(end ?? instant, instant)
  }

  mutating func add(_ item: Int) {
    items.insert(item)
  }
}

extension PlanningContext {
  /// Returns the events of a collection about which its alternatives have already sent
  /// notifications, before a setting selected the collection; nil if there are none.
  func sent(insteadOf reminder: Reminder, _ progress: Progress) -> SentEvents? {
    guard !catalog.aliases.isEmpty, let others = catalog.aliases[reminder.symbol]
    else { return nil }
    var sent = SentEvents()
    for other in others.compactMap(catalog.reminder) {
      switch other.trigger {
      case .items(let trigger): add(other, trigger, progress, to: &sent)
      case .calendar(let trigger): add(other, trigger, progress, to: &sent)
      case .after, .milestone, .idle, .request: break
      }
    }
    return sent.isEmpty ? nil : sent
  }

  /// Adds the items sent one by one. If more may have been sent than are remembered, all items
  /// before the first remembered one count as sent too.
  private func add(
    _ reminder: Reminder, _ trigger: ItemTrigger, _ progress: Progress, to sent: inout SentEvents
  ) {
    let keys = Set(progress.finished.filter { $0.reminder == reminder.symbol }.map(\.key))
    guard !keys.isEmpty else { return }
    let items = itemOccurrences(trigger, of: reminder).all
      .filter { keys.contains($0.key) }.compactMap(\.item)
    for item in items { sent.add(item) }
    let first = items.map { facts.items[$0].stamp.time }.min()
    if keys.count >= Progress.keptMax, let first { sent.add(until: first) }
  }

  /// Adds the events that another collection covered, at most up to the change of the setting,
  /// because its time of day may have changed since.
  private func add(
    _ reminder: Reminder, _ trigger: CalendarTrigger, _ progress: Progress,
    to sent: inout SentEvents
  ) {
    guard let key = progress.finished(reminder.symbol)?.key else { return }
    let planned = instant(of: key, trigger) + reminder.offset
    let paths = reminder.conditions.map { Symbol(catalog.settings.definitions[$0.setting].path) }
    let changed = facts.settings.lazy.filter { paths.contains($0.path) }.map(\.stamp.time).max()
    sent.add(until: min(planned, changed ?? planned))
  }

  /// Whether enough events happened about which no notification was sent yet.
  func hasNews(_ having: Terms.Having, before planned: Instant, but sent: SentEvents) -> Bool {
    let range = facts.items(of: having.event.event)
    Work.count(range.count)
    let count = range.count { index in
      let time = facts.items[index].stamp.time
      return time < planned && time >= planned - having.within
        && !sent.contains(index, at: time)
    }
    return count >= having.times
  }
}
