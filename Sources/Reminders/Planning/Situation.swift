package import CivilTime

/// A recipient's facts as the catalog reads them: effective settings and zone resolved once, then
/// every question about what is planned is a pure function of them.
package struct Situation: Sendable {
  package let planner: Planner
  package let facts: Facts
  package let settings: Settings
  package let zone: Zone
  /// The channels that each category is on for, by its index.
  private let categoryChannels: [ChannelSet]

  package init(facts: Facts, planner: Planner) {
    self.planner = planner
    self.facts = facts
    let settings = Settings(schema: planner.catalog.settings, registers: facts.settings)
    self.settings = settings
    categoryChannels = planner.catalog.categories.map { Self.channels(of: $0, settings) }
    zone = planner.zone(of: facts)
  }

  package var catalog: Catalog { planner.catalog }

  /// The channels on which a reminder goes out: master AND channel AND category (rule P2), and its
  /// group's switch. Empty is switched off, and then nothing is planned (rule I5).
  package func channels(of reminder: Reminder) -> ChannelSet {
    // Of whom nothing is known, or nothing any more, nobody is reminded.
    guard facts.created != nil, settings.isOn(.master), settings.isOn(reminder.isEnabled) else {
      return []
    }
    return categoryChannels[reminder.category]
  }

  private static func channels(of category: Category, _ settings: Settings) -> ChannelSet {
    var channels: ChannelSet = []
    for (channel, setting) in category.channels
    where settings.isOn(channel.setting) && settings.isOn(setting) {
      channels.insert(ChannelSet(channel))
    }
    return channels
  }

  /// What the gates need to know of an occurrence of a reminder.
  package func gateInput(_ reminder: Reminder, planned: Instant) -> GateInput {
    GateInput(
      planned: planned, expires: reminder.expires,
      urgency: catalog.categories[reminder.category].urgency,
      isMasterOn: settings.isOn(.master),
      isCategoryOn: !channels(of: reminder).isEmpty,
      quietHours: settings.quietHours, zone: zone)
  }

  /// The first occurrence of a reminder planned after an instant whose key is beyond `floor` (of a
  /// calendar) or differs from the keys that `isDone` knows (of the others).
  package func next(
    _ reminder: Reminder, after cutoff: Instant, progress: Progress
  ) -> Occurrence? {
    switch reminder.trigger {
    case .calendar(let trigger):
      return next(trigger, after: cutoff, beyond: progress.highestKey(of: reminder.symbol))
    case .after(let trigger):
      guard let occurrence = occurrence(trigger), occurrence.planned > cutoff else { return nil }
      return progress.isDone(reminder.symbol, key: occurrence.key) ? nil : occurrence
    case .milestone(let trigger):
      guard let next = candidates(trigger).next(after: cutoff) else { return nil }
      return progress.isDone(reminder.symbol, key: next.key) ? nil : next
    }
  }

  /// The occurrences that events determine, whether past or to come.
  package func occurrences(_ reminder: Reminder) -> [Occurrence] {
    switch reminder.trigger {
    case .calendar: []
    case .after(let trigger): occurrence(trigger).map { [$0] } ?? []
    case .milestone(let trigger): candidates(trigger).all
    }
  }

  /// Whether an occurrence that is under way is still wanted: switched on, and not superseded.
  package func isOpen(_ entry: Progress.UnderWay, of reminder: Reminder) -> Bool {
    guard !channels(of: reminder).isEmpty else { return false }
    switch reminder.trigger {
    case .calendar(let trigger): return isRunning(trigger, on: entry.key)
    case .after, .milestone: return occurrences(reminder).contains { $0.key == entry.key }
    }
  }
}

extension Progress {
  /// The latest occurrence of a calendar reminder that has reached its planned instant.
  fileprivate func highestKey(of reminder: Symbol) -> Int64? {
    var highest = settled(reminder)?.key
    for entry in underWay where entry.reminder == reminder {
      highest = max(highest ?? entry.key, entry.key)
    }
    return highest
  }

  /// Whether an event's occurrence is settled or under way.
  package func isDone(_ reminder: Symbol, key: Int64) -> Bool {
    settled(reminder)?.key == key || isUnderWay(reminder, key: key)
  }
}
