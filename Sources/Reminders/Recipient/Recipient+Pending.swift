package import CivilTime

/// One planned instant of a reminder that waits in the wheel, with the instant at which the gates
/// will let it out as things stand (rules V7, N4).
package struct Pending: Hashable, Sendable {
  package var reminder: Symbol
  package var key: Int64
  package var channelGroup: ChannelGroup
  package var planned: Instant
  /// When what it is about begins (rule V10).
  var deadline: Instant?
  package var decision: Decision
  package var channels: ChannelSet
  package var message: UInt8
  package var subject: Subject
  /// What the slot is kept for that it waits for (rule V5).
  package var waitsFor: KeptSlots.Beneficiary?
}

/// What is pending for a person, and how it goes out (rules V6, N4).
package struct PendingReminders: Sendable {
  /// Several that go out as one.
  package struct Digest: Sendable {
    package var firing: Firing
    /// The most urgent first.
    package var members: [Pending]
  }

  /// One by one, in the order in which they go out.
  package var pending: [Pending]
  package var digests: [Digest]
}

extension Recipient {
  /// How far ahead what is pending is played through: what one delivery leaves another, in days
  /// that have caps, is seen there. What is planned later, or waits behind more than can be
  /// foreseen, is asked on its own.
  static let horizon = TimeSpan.days(14)

  /// Everything that is pending: of each reminder what is under way and its next occurrence, in
  /// the order in which they go out.
  package func pending(now: Instant, planner: Planner) -> [Pending] {
    pendingReminders(now: now, planner: planner).pending
  }

  /// The same with the digests that it goes out in.
  package func pendingReminders(now: Instant, planner: Planner) -> PendingReminders {
    let context = PlanningContext(facts: facts, planner: planner)
    var entries = underWay(now: now, in: context) + planned(now: now, in: context)
    let firings = foreseen(from: now, through: now + Self.horizon, planner: planner)
    let ahead = settled(firings)
    let waits = waiting(firings).merging(waiting(now: now, in: context)) { $1 }
    for index in entries.indices {
      let place = OccurrencePlace(entries[index])
      if let firing = ahead[place] { entries[index].take(firing) }
      entries[index].waitsFor = waits[place]
    }
    return PendingReminders(
      pending: entries.sorted { isBefore($0, $1, in: context) },
      digests: digests(firings, of: Set(entries.map { OccurrencePlace($0) })))
  }

  /// The digests that something of what is pending is a part of.
  private func digests(
    _ firings: [Firing], of pending: Set<OccurrencePlace>
  ) -> [PendingReminders.Digest] {
    let digests = firings.filter { firing in
      firing.members.contains { pending.contains(OccurrencePlace($0)) }
    }
    guard !digests.isEmpty else { return [] }
    let settled = settled(firings)
    return digests.map { digest in
      let members = digest.members.compactMap { settled[OccurrencePlace($0)] }
      return PendingReminders.Digest(firing: digest, members: members.map { Pending($0) })
    }
  }

  private func isBefore(_ left: Pending, _ right: Pending, in context: PlanningContext) -> Bool {
    if left.decision.at != right.decision.at { return left.decision.at < right.decision.at }
    if left.reminder != right.reminder { return left.reminder < right.reminder }
    guard let reminder = context.catalog.reminder(left.reminder), left.key != right.key,
      let one = context.occurrence(of: reminder, key: left.key)?.cause,
      let other = context.occurrence(of: reminder, key: right.key)?.cause, one != other
    else { return left.key < right.key }
    return one < other
  }

  /// By each that waits, the occurrence whose kept slot it waits for: that of its first firing.
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
    now: Instant, in context: PlanningContext
  ) -> [OccurrencePlace: KeptSlots.Beneficiary] {
    let entries = progress.underWay.filter(\.isWaiting)
    guard !entries.isEmpty else { return [:] }
    let date = context.zone.date(at: now)
    let day = dayAhead(on: date, from: now, held: [], planned: .reminders, in: context)
    var waits: [OccurrencePlace: KeptSlots.Beneficiary] = [:]
    for entry in entries {
      guard let reminder = context.catalog.reminder(entry.reminder) else { continue }
      var input = context.gateInput(entry, of: reminder, recent: progress.recent)
      guard Self.hasSlot(input, now) else { continue }
      input.kept = day.kept(from: input, at: now)
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

  private func underWay(now: Instant, in context: PlanningContext) -> [Pending] {
    progress.underWay.compactMap { entry in
      guard let reminder = context.catalog.reminder(entry.reminder) else { return nil }
      var input = context.gateInput(entry, of: reminder, recent: progress.recent)
      if entry.thaw == nil, let release = input.release(heldAt: entry.planned) {
        input.stood = input.stood + (release - entry.planned)
      }
      var pending = pending(
        reminder, key: entry.key, channelGroup: entry.channelGroup, own: entry.ownInstant,
        from: max(now, entry.planned), input, in: context)
      pending.decision.trace.add(entry.holds)
      if let message = entry.message { pending.message = message }
      return pending
    }
  }

  private func planned(now: Instant, in context: PlanningContext) -> [Pending] {
    var entries: [Pending] = []
    context.forEachPlanned { reminder in
      context.forEachNext(reminder, after: progress.cutoff, progress: progress) { next in
        for channelGroup in context.channelGroups(of: reminder, key: next.key) {
          let input = context.gateInput(
            reminder, key: next.key, planned: next.planned, deadline: next.deadline,
            channelGroup: channelGroup, recent: progress.recent)
          entries.append(
            pending(
              reminder, key: next.key, channelGroup: channelGroup, own: next.planned,
              from: next.planned, input, in: context))
        }
      }
    }
    return entries
  }

  /// - Parameter own: its own planned instant, be it snoozed or not.
  private func pending(
    _ reminder: Reminder, key: Int64, channelGroup: ChannelGroup, own: Instant,
    from start: Instant, _ input: GateInput, in context: PlanningContext
  ) -> Pending {
    var subject = context.subject(of: reminder, key: key)
    subject.details = subject.details?.counting(
      batch(of: reminder, planned: own, subject.details), by: reminder.batch)
    return Pending(
      reminder: reminder.symbol, key: key, channelGroup: channelGroup, planned: input.planned,
      deadline: input.deadline,
      decision: Gates.decide(input, from: start).shown(planned: input.planned),
      channels: context.outgoing(reminder, key: key, channelGroup: channelGroup),
      message: message(for: reminder, key: key, in: context), subject: subject)
  }
}

extension Pending {
  /// What playing ahead has come to.
  fileprivate init(_ firing: Firing) {
    self.init(
      reminder: firing.reminder, key: firing.key, channelGroup: firing.channelGroup,
      planned: firing.planned,
      decision: Decision(
        outcome: .delivered, at: firing.at, trace: firing.trace, isSilent: firing.isSilent),
      channels: firing.channels, message: firing.message, subject: firing.subject,
      waitsFor: firing.waitsFor)
    take(firing)
  }

  /// Takes over what playing ahead came to.
  fileprivate mutating func take(_ firing: Firing) {
    guard case .settled(let outcome) = firing.result else { return }
    decision = Decision(
      outcome: outcome, at: firing.shownAt, trace: firing.trace, isSilent: firing.isSilent)
    channels = firing.channels
    message = firing.message
  }
}

/// An occurrence of a `smart` reminder that waits for its instant.
struct SmartOccurrence {
  let reminder: Reminder
  let occurrence: Occurrence
}

extension Recipient {
  /// What is planned of `smart` reminders before an open of an earlier day, told of late, moves
  /// their hour (rule M3).
  func smartOccurrences(
    movableBy events: [Event], now: Instant, _ planner: Planner
  ) -> [SmartOccurrence] {
    guard let opening = events.lazy.filter(\.isOpening).map(\.time).min() else { return [] }
    let context = PlanningContext(facts: facts, planner: planner)
    let today = context.zone.date(at: now)
    guard opening < context.zone.instant(of: today, at: .midnight) else { return [] }
    return context.catalog.reminders.compactMap { reminder in
      guard context.isSmart(reminder), context.isPlanned(reminder) else { return nil }
      return context.next(reminder, after: progress.cutoff, progress: progress).map {
        SmartOccurrence(reminder: reminder, occurrence: $0)
      }
    }
  }

  /// Keeps what has been moved into the past at its old instant: a date whose better hour is over
  /// must not go without.
  mutating func keep(_ occurrences: [SmartOccurrence], now: Instant, _ planner: Planner) {
    guard !occurrences.isEmpty else { return }
    let context = PlanningContext(facts: facts, planner: planner)
    for kept in occurrences where kept.occurrence.planned > now {
      let next = context.next(kept.reminder, after: progress.cutoff, progress: progress)
      guard next?.key != kept.occurrence.key else { continue }
      start(
        kept.occurrence, of: kept.reminder, due: kept.occurrence.planned, in: context)
    }
  }
}

extension Event {
  fileprivate var isOpening: Bool { if case .opening = content { true } else { false } }
}
