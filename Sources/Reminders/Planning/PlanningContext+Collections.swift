import CivilTime

/// The events that had already been sent when a setting selected a collection (rule V11). A
/// collection is a calendar reminder with one notification about several events.
struct SentEvents {
  /// The indices of the items that were sent individually.
  private(set) var items: Set<Int> = []
  /// The instant before which all events count as sent: another collection sent them, or they are
  /// too old to be known individually. Nil if there is none.
  private(set) var end: Instant?

  var isEmpty: Bool { items.isEmpty && end == nil }

  func contains(_ item: Int, at time: Instant) -> Bool {
    end.map { time < $0 } ?? false || items.contains(item)
  }

  /// Adds all events before an instant.
  mutating func add(until instant: Instant) {
    end = max(end ?? instant, instant)
  }

  mutating func add(_ item: Int) {
    items.insert(item)
  }
}

extension PlanningContext {
  /// Returns the events of a collection that the alternatives to the collection have already sent;
  /// nil if there are none.
  func sentEvents(insteadOf reminder: Reminder, _ progress: Progress) -> SentEvents? {
    guard !catalog.alternatives.isEmpty, let symbols = catalog.alternatives[reminder.symbol]
    else { return nil }
    var sent = SentEvents()
    for other in symbols.compactMap(catalog.reminder) {
      switch other.trigger {
      case .items(let trigger): add(other, trigger, progress, to: &sent)
      case .calendar(let trigger): add(other, trigger, progress, to: &sent)
      case .after, .milestone, .idle, .request, .plan: break
      }
    }
    return sent.isEmpty ? nil : sent
  }

  /// Adds the items that another reminder sent individually. If the progress may have forgotten
  /// some, all items before the first remembered one count as sent too.
  private func add(
    _ reminder: Reminder, _ trigger: ItemTrigger, _ progress: Progress, to sent: inout SentEvents
  ) {
    let keys = Set(progress.finished.filter { $0.reminder == reminder.symbol }.map(\.key))
    guard !keys.isEmpty else { return }
    let items = itemOccurrences(trigger, of: reminder).all
      .filter { keys.contains($0.key) }.compactMap(\.item)
    for item in items { sent.add(item) }
    let first = items.map { facts.items[$0].stamp.time }.min()
    if keys.count >= Progress.finishedMax, let first { sent.add(until: first) }
  }

  /// Adds the events that another collection sent before the setting changed. Whether it sent later
  /// events is unknown, because its time of day may have changed since.
  private func add(
    _ reminder: Reminder, _ trigger: CalendarTrigger, _ progress: Progress,
    to sent: inout SentEvents
  ) {
    guard let key = progress.finished(reminder.symbol)?.key else { return }
    let planned = instant(of: key, trigger, by: reminder.offset)
    let paths = reminder.conditions.map { Symbol(catalog.settings.definitions[$0.setting].path) }
    let settingChange = facts.settings.lazy.filter { paths.contains($0.path) }
      .map(\.stamp.time).max()
    sent.add(until: min(planned, settingChange ?? planned))
  }

  /// Returns whether enough events have happened that no previous notification included.
  func hasUnsentEvents(
    _ having: Terms.Having, before planned: Instant, except sent: SentEvents
  ) -> Bool {
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
