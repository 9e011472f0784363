package import CivilTime

/// The effects of events on pending occurrences, expected or actual (rule P5).
package struct Consequences: Sendable {
  /// The kind of change of an occurrence.
  package enum Kind: String, CaseIterable, Sendable {
    /// The occurrence is sent at another instant.
    case moved
    /// The occurrence is still planned, but a gate will drop it.
    case dropped
    /// The occurrence is sent; before the events, a gate would have dropped it.
    case restored
    /// The occurrence is no longer planned.
    case cancelled
    /// The occurrence is newly planned.
    case added
  }

  /// The change of one occurrence.
  package struct Change: Sendable {
    package var kind: Kind
    /// The text that the occurrence has when it is sent.
    package var message: Message
    package var channels: ChannelSet
    /// The entities whose date changes, if it is a calendar date that several can share (rule G9).
    package var entities: [String]
    /// The previous instant of sending; nil if the occurrence is added or restored.
    package var before: Instant?
    /// The new instant of sending; nil if the occurrence is dropped or cancelled.
    package var after: Instant?
    /// The gates that move or drop the occurrence, or the cause of its cancellation, as words such
    /// as `quiet_hours` or `overtaken`.
    package var reasons: [String]
  }

  package var changes: [Change]
  /// Consequences that the recipient may not expect, as sentences.
  package var warnings: [String]
  /// The recipient's zone after the events.
  package var zone: Zone
}

extension Recipient {
  /// Returns events with times no earlier than the latest change of the recipient's settings,
  /// vacations, devices and ended series. So a change that a recipient makes now always takes
  /// effect. Without this, a clock that was ahead at an earlier change could prevent it (rule P5).
  package func notBeforeCurrentChanges(_ events: [Event]) -> [Event] {
    let times =
      facts.settings.map(\.stamp.time) + facts.stops.map(\.stamp.time)
      + facts.entityStops.map(\.stamp.time) + facts.devices.map(\.stamp.time)
      + facts.vacations.map(\.stamp.time) + facts.entitySettings.map(\.stamp.time)
    return events.map { event in event.notBefore(times.max() ?? event.time) }
  }

  /// Returns the recipient as it would be after these events if they were reported now.
  package func after(_ events: [Event], now: Instant, planner: Planner) -> Recipient {
    var after = self
    let first = Int64.max - Int64(events.count)
    let arrivals = notBeforeCurrentChanges(events).enumerated().map {
      Arrival($1, order: first + Int64($0))
    }
    after.apply(arrivals, now: now, planner: planner)
    return after
  }

  /// Applies events to a copy of the recipient, and compares the pending occurrences before and
  /// after. A dry run and a write both return this result, so they agree.
  ///
  /// Only the next date of a series is pending. So a date that is pending only before or only after
  /// the events is looked up on the other side, too. So is a date that a command names (rule N4).
  package func consequences(of events: [Event], now: Instant, planner: Planner) -> Consequences {
    let after = self.after(events, now: now, planner: planner)
    let names = pendingNames(planner: planner)
      .symmetricDifference(after.pendingNames(planner: planner))
      .union(commandedNames(in: events, now: now, planner: planner))
    let old = Plan(of: self, with: names, now: now, planner: planner)
    let new = Plan(of: after, with: names, now: now, planner: planner)
    let oldSubjects = Set(old.warnings.map(\.subject))
    let newWarnings = new.warnings.filter { !oldSubjects.contains($0.subject) }
    return Consequences(
      changes: old.changes(to: new),
      warnings: newWarnings.map(\.text) + old.channelChanges(to: new), zone: new.context.zone)
  }
}

/// The pending occurrences of a recipient at an instant, with further dates of their series.
private struct Plan {
  let context: PlanningContext
  let pending: [Pending]
  /// The occurrences in `Progress.cancelled`.
  let cancelled: Set<OccurrenceName>

  /// - Parameter names: further dates of series that are included if they are planned.
  init(of recipient: Recipient, with names: Set<OccurrenceName>, now: Instant, planner: Planner) {
    context = PlanningContext(facts: recipient.facts, planner: planner)
    pending = recipient.pendingReminders(now: now, planner: planner, with: names).pending
    Work.count(recipient.progress.cancelled.count)
    cancelled = Set(recipient.progress.cancelled.map(OccurrenceName.init))
  }

  func changes(to new: Plan) -> [Consequences.Change] {
    let (before, after) = (byName, new.byName)
    let changed = pending.flatMap { entry -> [Consequences.Change?] in
      let successors = after[entry.name, default: []].filter { $0.isSame(as: entry) }
      guard !successors.isEmpty else {
        let reasons = new.cancellationReasons(of: entry)
        return [change(.cancelled, entry, before: entry.sentAt, after: nil, reasons)]
      }
      let moved = successors.filter { $0.sentAt != entry.sentAt }.map {
        new.change(of: $0, since: entry)
      }
      return moved + entityChanges(from: entry, to: successors[0], in: new)
    }.compactMap { $0 }
    let added = new.pending.filter { entry in
      !before[entry.name, default: []].contains { $0.isSame(as: entry) }
    }
    return changed + added.compactMap { new.change(.added, $0, before: nil, after: $0.sentAt) }
  }

  private var byName: [OccurrenceName: [Pending]] {
    Work.count(pending.count)
    return Dictionary(grouping: pending, by: \.name)
  }

  /// Returns the changes of a date that remains for at least one entity. For the entities that no
  /// longer share the date, it is cancelled; for those that now share it, it is added.
  private func entityChanges(
    from old: Pending, to current: Pending, in new: Plan
  ) -> [Consequences.Change?] {
    let (before, after) = (old.sharedDate.entities, current.sharedDate.entities)
    guard before != after else { return [] }
    let causes = Dictionary(grouping: before.filter { !after.contains($0) }) {
      new.cancellationReason(of: $0, current)
    }
    let lost = causes.sorted { $0.key < $1.key }.map { reason, entities in
      change(.cancelled, old, before: old.sentAt, after: nil, of: entities, [reason])
    }
    let gained = after.filter { !before.contains($0) }
    guard !gained.isEmpty else { return lost }
    return lost + [new.change(.added, current, before: nil, after: current.sentAt, of: gained)]
  }

  /// Returns why an entity no longer shares a date, as one of the reasons that
  /// `cancellationReasons` returns.
  private func cancellationReason(of entity: String, _ current: Pending) -> String {
    if current.sharedDate.ended.contains(entity) { return "series_cancelled" }
    guard let reminder = context.catalog.reminder(current.reminder),
      context.sendsNothing(reminder, about: entity)
    else { return "overtaken" }
    return "switched_off"
  }

  private func change(of entry: Pending, since before: Pending) -> Consequences.Change? {
    let kind: Consequences.Kind =
      entry.sentAt == nil ? .dropped : before.sentAt == nil ? .restored : .moved
    return change(kind, entry, before: before.sentAt, after: entry.sentAt)
  }

  /// Returns the reason why an occurrence is no longer planned. It is the first of these that
  /// applies:
  ///
  /// - `catalog`: the catalog no longer declares the reminder
  /// - a switch that is off: the reason of its gate, or `switched_off`
  /// - `series_cancelled` or `cancelled`: the recipient ended the series, or cancelled the
  ///   occurrence
  /// - `overtaken`: an event is the cause
  private func cancellationReasons(of entry: Pending) -> [String] {
    guard let reminder = context.catalog.reminder(entry.reminder) else { return ["catalog"] }
    let category = context.catalog.categories[reminder.category]
    if !context.settings.isOn(.master), category.canBeSwitchedOff { return [Gate.master.reason] }
    let entityChannels = context.entityChannels(of: reminder, key: entry.key)
    if entityChannels?.isEmpty == true { return ["switched_off"] }
    let channels = entityChannels ?? context.categoryChannels[reminder.category]
    if channels.isDisjoint(with: entry.channels) { return [Gate.category.reason] }
    if !context.isSwitchedOn(reminder) { return ["switched_off"] }
    if context.isStopped(reminder, key: entry.key) { return ["series_cancelled"] }
    if isCancelled(entry.name, of: reminder) { return ["cancelled"] }
    return context.channels(of: reminder).isEmpty ? ["switched_off"] : ["overtaken"]
  }

  /// Returns whether the recipient cancelled the occurrence, or the one that it repeats (rule T14).
  private func isCancelled(_ name: OccurrenceName, of reminder: Reminder) -> Bool {
    let first = OccurrenceName(reminder: reminder.repeated ?? name.reminder, key: name.key)
    return cancelled.contains(name) || cancelled.contains(first)
  }

  private func change(
    _ kind: Consequences.Kind, _ entry: Pending, before: Instant?, after: Instant?,
    of entities: [String]? = nil, _ reasons: [String]? = nil
  ) -> Consequences.Change? {
    context.message(of: entry).map { message in
      Consequences.Change(
        kind: kind, message: message, channels: entry.channels,
        entities: entities ?? entry.sharedDate.entities, before: before, after: after,
        reasons: reasons ?? entry.decision.trace.reasons)
    }
  }

  /// Returns a sentence for each occurrence whose entity has other channels than before.
  func channelChanges(to new: Plan) -> [String] {
    guard context.facts.entitySettings != new.context.facts.entitySettings else { return [] }
    let (before, after) = (byName, new.byName)
    var names: Set<OccurrenceName> = []
    return new.pending.compactMap { entry in
      guard names.insert(entry.name).inserted, let old = before[entry.name]?.channels,
        let channels = after[entry.name]?.channels, old != channels,
        let message = new.context.message(of: entry)
      else { return nil }
      return "\(message.reminder) of \(new.context.zone.local(at: entry.planned)) will use "
        + "\(channels.words) instead of \(old.words)"
    }
  }

  /// The warnings about repeating reminders that a gate moves or drops.
  var warnings: [Warning] {
    pending.compactMap { entry in
      guard let text = warning(of: entry) else { return nil }
      let subject = Warning.Subject(
        reminder: entry.reminder, time: context.zone.local(at: entry.planned).secondOfDay,
        reasons: entry.decision.trace.reasons, isDropped: entry.sentAt == nil)
      return Warning(subject: subject, text: text)
    }
  }

  private func warning(of entry: Pending) -> String? {
    guard let reminder = context.catalog.reminder(entry.reminder), reminder.isRepeating,
      !entry.decision.trace.reasons.isEmpty, let message = context.message(of: entry)
    else { return nil }
    let planned = context.zone.local(at: entry.planned)
    let reasons = entry.decision.trace.reasons.joined(separator: ", ")
    guard let instant = entry.sentAt else {
      return "\(message.reminder) of \(planned) will be dropped: \(reasons)"
    }
    return "\(message.reminder) of \(planned) will move to \(context.zone.local(at: instant)): "
      + reasons
  }
}

/// A consequence that the recipient may not expect.
private struct Warning {
  /// The identity of a warning, without its date. A warning is not reported if one with the same
  /// subject existed before the change.
  struct Subject: Hashable {
    var reminder: Symbol
    /// The local time of day, in seconds.
    var time: Int
    var reasons: [String]
    var isDropped: Bool
  }

  var subject: Subject
  var text: String
}

extension ChannelSet {
  fileprivate var words: String {
    isEmpty ? "no channel" : channels.map(\.name).joined(separator: ", ")
  }
}

extension [Pending] {
  /// The channels of an occurrence in all of its channel groups.
  fileprivate var channels: ChannelSet { reduce(into: []) { $0.formUnion($1.channels) } }
}

extension Pending {
  fileprivate var name: OccurrenceName { OccurrenceName(self) }

  fileprivate func isSame(as other: Pending) -> Bool {
    reminder == other.reminder && key == other.key
      && (channelGroup == other.channelGroup || !channels.isDisjoint(with: other.channels))
  }

  /// The instant of sending; nil if the occurrence will be dropped.
  fileprivate var sentAt: Instant? {
    decision.outcome == .dropped ? nil : decision.at
  }
}
