package import CivilTime

/// What an event would change, or has changed, of what is pending (rule P5).
package struct Consequences: Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    /// It goes out at another instant.
    case moved
    /// It is planned still, and a gate drops it.
    case dropped
    /// A gate was to drop it, and it goes out.
    case restored
    /// It is not planned any more.
    case cancelled
    /// It was not planned before.
    case added
  }

  package struct Change: Sendable {
    package var kind: Kind
    package var message: Message
    package var channels: ChannelSet
    /// When it was to go out; nil for what is added or restored.
    package var before: Instant?
    /// When it goes out now; nil for what is dropped or cancelled.
    package var after: Instant?
    /// The gates that move it, or what cancels it.
    package var reasons: [String]
  }

  package var changes: [Change]
  /// What the person may not expect, in sentences.
  package var warnings: [String]
  package var zone: Zone
}

extension Recipient {
  /// What a person changes now, at a time not before that of what is in force: neither an app nor a
  /// service whose clock ran ahead makes their word of now the older one (rule P5).
  package func upToDate(_ events: [Event]) -> [Event] {
    let times =
      facts.settings.map(\.stamp.time) + facts.stops.map(\.stamp.time)
      + facts.entityStops.map(\.stamp.time) + facts.devices.map(\.stamp.time)
    return events.map { event in event.notBefore(times.max() ?? event.time) }
  }

  /// As the person would be if they changed something now.
  package func after(_ events: [Event], now: Instant, planner: Planner) -> Recipient {
    var after = self
    let first = Int64.max - Int64(events.count)
    let arrivals = upToDate(events).enumerated().map { Arrival($1, order: first + Int64($0)) }
    after.apply(arrivals, now: now, planner: planner)
    return after
  }

  /// Takes events into a copy and compares what is pending before and after: what a dry run says
  /// and what a write answers are the same.
  package func consequences(of events: [Event], now: Instant, planner: Planner) -> Consequences {
    let after = self.after(events, now: now, planner: planner)
    let old = Plan(of: self, now: now, planner: planner)
    let new = Plan(of: after, now: now, planner: planner)
    let known = Set(old.warnings.map(\.subject))
    let caused = new.warnings.filter { !known.contains($0.subject) }
    return Consequences(
      changes: old.changes(to: new), warnings: caused.map(\.text), zone: new.context.zone)
  }
}

/// What is pending for a recipient at an instant.
private struct Plan {
  let context: PlanningContext
  let pending: [Pending]
  let cancelled: [Progress.Cancelled]

  init(of recipient: Recipient, now: Instant, planner: Planner) {
    context = PlanningContext(facts: recipient.facts, planner: planner)
    pending = recipient.pending(now: now, planner: planner)
    cancelled = recipient.progress.cancelled
  }

  func changes(to new: Plan) -> [Consequences.Change] {
    let (before, after) = (byName, new.byName)
    let gone = pending.flatMap { entry -> [Consequences.Change?] in
      let later = after[entry.name, default: []].filter { $0.isSame(as: entry) }
      guard !later.isEmpty else {
        let reasons = new.reasons(toCancel: entry)
        return [change(.cancelled, entry, before: entry.goesOut, after: nil, reasons)]
      }
      return later.filter { $0.goesOut != entry.goesOut }.map { new.change(of: $0, since: entry) }
    }.compactMap { $0 }
    let added = new.pending.filter { entry in
      !before[entry.name, default: []].contains { $0.isSame(as: entry) }
    }
    return gone + added.compactMap { new.change(.added, $0, before: nil, after: $0.goesOut) }
  }

  private var byName: [OccurrenceName: [Pending]] {
    Work.count(pending.count)
    return Dictionary(grouping: pending, by: \.name)
  }

  private func change(of entry: Pending, since before: Pending) -> Consequences.Change? {
    let kind: Consequences.Kind =
      entry.goesOut == nil ? .dropped : before.goesOut == nil ? .restored : .moved
    return change(kind, entry, before: before.goesOut, after: entry.goesOut)
  }

  /// Why something is not planned any more: by the name of its gate, where a switch is one, or as
  /// the person has said; `overtaken` where it is what has happened since.
  private func reasons(toCancel entry: Pending) -> [String] {
    guard let reminder = context.catalog.reminder(entry.reminder) else { return ["catalog"] }
    let category = context.catalog.categories[reminder.category]
    if !context.settings.isOn(.master), category.canBeSwitchedOff { return [Gate.master.reason] }
    if context.categoryChannels[reminder.category].isDisjoint(with: entry.channels) {
      return [Gate.category.reason]
    }
    if !context.isSwitchedOn(reminder) { return ["switched_off"] }
    if context.isStopped(reminder, key: entry.key) { return ["series_cancelled"] }
    if cancelled.contains(where: { $0.reminder == entry.reminder && $0.key == entry.key }) {
      return ["cancelled"]
    }
    return context.channels(of: reminder).isEmpty ? ["switched_off"] : ["overtaken"]
  }

  private func change(
    _ kind: Consequences.Kind, _ entry: Pending, before: Instant?, after: Instant?,
    _ reasons: [String]? = nil
  ) -> Consequences.Change? {
    context.message(of: entry).map { message in
      Consequences.Change(
        kind: kind, message: message, channels: entry.channels, before: before, after: after,
        reasons: reasons ?? entry.decision.trace.reasons)
    }
  }

  /// What comes again at a time of day at which a gate is always shut deserves a word.
  var warnings: [Warning] {
    pending.compactMap { entry in
      guard let text = warning(of: entry) else { return nil }
      let subject = Warning.Subject(
        reminder: entry.reminder, time: context.zone.local(at: entry.planned).secondOfDay,
        reasons: entry.decision.trace.reasons, isDropped: entry.goesOut == nil)
      return Warning(subject: subject, text: text)
    }
  }

  private func warning(of entry: Pending) -> String? {
    guard let reminder = context.catalog.reminder(entry.reminder), reminder.isRepeating,
      !entry.decision.trace.reasons.isEmpty, let message = context.message(of: entry)
    else { return nil }
    let planned = context.zone.local(at: entry.planned)
    let reasons = entry.decision.trace.reasons.joined(separator: ", ")
    guard let out = entry.goesOut else {
      return "\(message.reminder) of \(planned) will be dropped: \(reasons)"
    }
    return "\(message.reminder) of \(planned) will move to \(context.zone.local(at: out)): "
      + reasons
  }
}

/// What the person may not expect.
private struct Warning {
  /// What it is about: the same on whichever date comes next, so that it is no news.
  struct Subject: Hashable {
    var reminder: Symbol
    /// That of its local time.
    var time: Int
    var reasons: [String]
    var isDropped: Bool
  }

  var subject: Subject
  var text: String
}

extension Pending {
  fileprivate var name: OccurrenceName { OccurrenceName(reminder: reminder, key: key) }

  fileprivate func isSame(as other: Pending) -> Bool {
    reminder == other.reminder && key == other.key
      && (channelGroup == other.channelGroup || !channels.isDisjoint(with: other.channels))
  }

  /// Nil for what is going to be dropped.
  fileprivate var goesOut: Instant? {
    decision.outcome == .dropped ? nil : decision.at
  }
}
