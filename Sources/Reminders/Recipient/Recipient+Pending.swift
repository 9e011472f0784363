package import CivilTime

/// One planned instant of a reminder that waits in the wheel, with the instant at which the gates
/// will let it out as things stand (rules V7, N4).
package struct Pending: Hashable, Sendable {
  package var reminder: Symbol
  package var key: Int64
  package var track: Track
  package var planned: Instant
  package var decision: Decision
  package var channels: ChannelSet
  package var message: UInt8
  package var number: Int64?
  /// What the event said that it is about, if it is about one.
  package var details: Details?
  /// What the slot is kept for that it waits for (rule V5).
  package var waitsFor: KeptSlots.Beneficiary?
}

extension Recipient {
  /// How far ahead what is pending is played through: what one delivery leaves another, in days
  /// that have caps, is seen there. What is planned later, or waits behind more than can be
  /// foreseen, is asked on its own.
  static let horizon = TimeSpan.days(14)

  /// Everything that is pending: of each reminder what is under way and its next occurrence, in
  /// the order in which they go out.
  package func pending(now: Instant, planner: Planner) -> [Pending] {
    let situation = Situation(facts: facts, planner: planner)
    var entries = underWay(now: now, in: situation) + planned(now: now, in: situation)
    let firings = foreseen(from: now, through: now + Self.horizon, planner: planner)
    let ahead = settled(firings)
    let waits = waiting(firings).merging(waiting(now: now, in: situation)) { $1 }
    for index in entries.indices {
      let place = OccurrencePlace(entries[index])
      if let firing = ahead[place] { entries[index].take(firing) }
      entries[index].waitsFor = waits[place]
    }
    return entries.sorted { isBefore($0, $1, in: situation) }
  }

  private func isBefore(_ left: Pending, _ right: Pending, in situation: Situation) -> Bool {
    if left.decision.at != right.decision.at { return left.decision.at < right.decision.at }
    if left.reminder != right.reminder { return left.reminder < right.reminder }
    guard situation.catalog.reminder(left.reminder)?.requestedCategory != nil else {
      return left.key < right.key
    }
    return facts.isEarlier(request: left.key, than: right.key)
  }

  /// For whom the slots are kept for which things wait, those that wait first.
  private func waiting(
    _ firings: [Firing]
  ) -> [OccurrencePlace: KeptSlots.Beneficiary] {
    var waits: [OccurrencePlace: KeptSlots.Beneficiary] = [:]
    for firing in firings {
      guard let beneficiary = firing.waitsFor else { continue }
      waits[OccurrencePlace(firing)] = waits[OccurrencePlace(firing)] ?? beneficiary
    }
    return waits
  }

  /// The same of what waits already.
  private func waiting(
    now: Instant, in situation: Situation
  ) -> [OccurrencePlace: KeptSlots.Beneficiary] {
    let entries = progress.underWay.filter { $0.waitsSince != nil }
    guard !entries.isEmpty else { return [:] }
    let date = situation.zone.date(at: now)
    let day = dayAhead(on: date, from: now, held: [], queue: nil, in: situation)
    var waits: [OccurrencePlace: KeptSlots.Beneficiary] = [:]
    for entry in entries {
      guard let reminder = situation.catalog.reminder(entry.reminder) else { continue }
      var input = situation.gateInput(entry, of: reminder, recent: progress.recent)
      guard Self.hasSlot(input, now) else { continue }
      input.kept = day.kept(from: input.urgency, at: now)
      guard !Self.hasSlot(input, now) else { continue }
      waits[OccurrencePlace(entry, key: entry.key)] = input.kept?.beneficiary
    }
    return waits
  }

  private func settled(_ firings: [Firing]) -> [OccurrencePlace: Firing] {
    var settled: [OccurrencePlace: Firing] = [:]
    for firing in firings {
      if case .settled = firing.result { settled[OccurrencePlace(firing)] = firing }
    }
    return settled
  }

  private func underWay(now: Instant, in situation: Situation) -> [Pending] {
    progress.underWay.compactMap { entry in
      guard let reminder = situation.catalog.reminder(entry.reminder) else { return nil }
      var pending = pending(
        reminder, key: entry.key, track: entry.track, planned: entry.planned,
        from: max(now, entry.planned), in: situation)
      pending.decision.trace.add(entry.holds)
      if let message = entry.message { pending.message = message }
      return pending
    }
  }

  private func planned(now: Instant, in situation: Situation) -> [Pending] {
    var entries: [Pending] = []
    situation.forEachPlanned { reminder in
      situation.forEachNext(reminder, after: progress.cutoff, progress: progress) { next in
        for track in situation.tracks(of: reminder, key: next.key) {
          entries.append(
            pending(
              reminder, key: next.key, track: track, planned: next.planned, from: next.planned,
              in: situation))
        }
      }
    }
    return entries
  }

  private func pending(
    _ reminder: Reminder, key: Int64, track: Track, planned: Instant, from start: Instant,
    in situation: Situation
  ) -> Pending {
    let input = situation.gateInput(
      reminder, key: key, planned: planned, track: track, recent: progress.recent)
    let subject = situation.subject(of: reminder, key: key)
    return Pending(
      reminder: reminder.symbol, key: key, track: track, planned: planned,
      decision: Gates.decide(input, from: start),
      channels: situation.outgoing(reminder, key: key, track: track),
      message: message(for: reminder, key: key, in: situation),
      number: subject.number,
      details: subject.details?.counting(
        batch(of: reminder, planned: planned, subject.details), by: reminder.batch))
  }
}

extension Pending {
  /// Takes over what playing ahead came to.
  fileprivate mutating func take(_ firing: Firing) {
    guard case .settled(let outcome) = firing.result else { return }
    decision = Decision(
      outcome: outcome, at: firing.at, trace: firing.trace, isSilent: firing.isSilent)
    channels = firing.channels
    message = firing.message
  }
}
