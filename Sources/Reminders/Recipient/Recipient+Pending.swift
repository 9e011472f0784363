package import CivilTime

/// A pending occurrence in one channel group, with the current decision of its gates (rules V7,
/// N4).
package struct Pending: Hashable, Sendable {
  package var reminder: Symbol
  /// The key of the occurrence, which is unique within its reminder.
  package var key: Int64
  package var channelGroup: ChannelGroup
  /// The planned instant, or the end of a snooze.
  package var planned: Instant
  /// The instant that the occurrence announces, such as the start of an appointment (rule V10).
  var deadline: Instant?
  package var decision: Decision
  package var channels: ChannelSet
  /// The index of the text among the reminder's messages.
  package var message: UInt8
  /// The data of the occurrence that the text contains.
  package var subject: Subject
  /// The entities that share the date.
  package var sharedDate = SharedDate()
  /// The occurrence whose reservation makes this one wait (rule V12).
  package var waitsFor: CapReservations.Beneficiary?
}

/// A recipient's pending occurrences, and the digests in which they are sent (rules V6, N4).
package struct PendingReminders: Sendable {
  /// A digest that a simulation predicts.
  package struct Digest: Sendable {
    /// The simulated decision that sends the digest.
    package var firing: Firing
    /// The members, the most urgent first.
    package var members: [Pending]
  }

  /// The occurrences in the order of sending.
  package var pending: [Pending]
  /// The predicted digests with at least one of these occurrences.
  package var digests: [Digest]
}

extension Recipient {
  /// The span for which pending occurrences are simulated. The simulation shows the effect of
  /// earlier deliveries on caps. Later occurrences, and those beyond the simulation's limit, are
  /// decided individually.
  static let horizon = TimeSpan.days(14)

  /// Returns all pending occurrences in the order of sending: the occurrences in progress and the
  /// future ones. A repeating reminder has only its next occurrence.
  package func pending(now: Instant, planner: Planner) -> [Pending] {
    pendingReminders(now: now, planner: planner).pending
  }

  /// Returns all pending occurrences with the digests in which they are sent.
  package func pendingReminders(now: Instant, planner: Planner) -> PendingReminders {
    pendingReminders(now: now, planner: planner, with: [])
  }

  /// - Parameter names: further occurrences to return. These are later dates of series than the
  ///   next one (rule N4). Dates that are not planned are ignored.
  func pendingReminders(
    now: Instant, planner: Planner, with names: Set<OccurrenceName>
  ) -> PendingReminders {
    let context = PlanningContext(facts: facts, planner: planner)
    var entries =
      pendingInProgress(now: now, in: context) + pendingPlanned(now: now, in: context)
    if !names.isEmpty {
      let laterNames = names.subtracting(entries.map { OccurrenceName($0) })
      entries += laterNames.flatMap { pendingLater($0, in: context) }
    }
    let firings = limitedSimulatedFirings(from: now, through: now + Self.horizon, planner: planner)
    let finishedFirings = finishedFirings(in: firings)
    let beneficiaries = simulatedBeneficiaries(firings)
      .merging(currentBeneficiaries(now: now, in: context)) { $1 }
    for index in entries.indices {
      let occurrence = OccurrenceInGroup(entries[index])
      if let firing = finishedFirings[occurrence] { entries[index].adopt(firing) }
      entries[index].waitsFor = beneficiaries[occurrence]
    }
    return PendingReminders(
      pending: entries.sorted { isBefore($0, $1, in: context) },
      digests: digests(firings, of: Set(entries.map { OccurrenceInGroup($0) }), in: context))
  }

  /// Returns the digests that contain a pending occurrence.
  private func digests(
    _ firings: [Firing], of pending: Set<OccurrenceInGroup>, in context: PlanningContext
  ) -> [PendingReminders.Digest] {
    let digests = firings.filter { firing in
      firing.members.contains { pending.contains(OccurrenceInGroup($0)) }
    }
    guard !digests.isEmpty else { return [] }
    let finishedFirings = finishedFirings(in: firings)
    return digests.map { digest in
      let members = digest.members.compactMap { finishedFirings[OccurrenceInGroup($0)] }
      return PendingReminders.Digest(
        firing: digest, members: members.map { Pending($0, in: context) })
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

  /// Returns, for each simulated occurrence that waits for a reservation, the first occurrence for
  /// which capacity is reserved.
  private func simulatedBeneficiaries(
    _ firings: [Firing]
  ) -> [OccurrenceInGroup: CapReservations.Beneficiary] {
    var beneficiaries: [OccurrenceInGroup: CapReservations.Beneficiary] = [:]
    for firing in firings {
      guard let beneficiary = firing.waitsFor else { continue }
      let occurrence = OccurrenceInGroup(firing)
      beneficiaries[occurrence] = beneficiaries[occurrence] ?? beneficiary
    }
    return beneficiaries
  }

  /// Returns, for each occurrence that already waits, the occurrence whose reservation makes it
  /// wait at `now`.
  private func currentBeneficiaries(
    now: Instant, in context: PlanningContext
  ) -> [OccurrenceInGroup: CapReservations.Beneficiary] {
    let entries = progress.inProgress.filter(\.isWaiting)
    guard !entries.isEmpty else { return [:] }
    let date = context.zone.date(at: now)
    let day = dayAhead(on: date, from: now, held: [], planned: .reminders, in: context)
    var beneficiaries: [OccurrenceInGroup: CapReservations.Beneficiary] = [:]
    for entry in entries {
      guard let reminder = context.catalog.reminder(entry.reminder) else { continue }
      var input = gateInput(entry, of: reminder, in: context)
      guard Self.hasCapacity(input, now) else { continue }
      input.reservations = day.reservations(from: input, at: now)
      guard !Self.hasCapacity(input, now) else { continue }
      let occurrence = OccurrenceInGroup(entry, key: entry.key)
      beneficiaries[occurrence] = input.reservations?.beneficiary
    }
    return beneficiaries
  }

  private func finishedFirings(in firings: [Firing]) -> [OccurrenceInGroup: Firing] {
    var finished: [OccurrenceInGroup: Firing] = [:]
    for firing in firings {
      if case .finished = firing.result { finished[OccurrenceInGroup(firing)] = firing }
    }
    return finished
  }

  private func pendingInProgress(now: Instant, in context: PlanningContext) -> [Pending] {
    progress.inProgress.compactMap { entry in
      guard let reminder = context.catalog.reminder(entry.reminder) else { return nil }
      var input = gateInput(entry, of: reminder, in: context)
      if entry.expiryPauseEnd == nil { input.stopExpiryAsPlanned() }
      var pending = pending(
        reminder, key: entry.key, channelGroup: entry.channelGroup,
        unsnoozed: entry.unsnoozedInstant,
        from: max(now, entry.planned), input, in: context)
      pending.decision.trace.add(entry.holds)
      if let message = entry.message { pending.message = message }
      return pending
    }
  }

  private func pendingPlanned(now: Instant, in context: PlanningContext) -> [Pending] {
    var entries: [Pending] = []
    context.forEachPlanned { reminder in
      context.forEachNext(reminder, after: progress.cutoff, progress: progress) { next in
        entries += pending(next, of: reminder, in: context)
      }
    }
    return entries
  }

  /// Returns a planned date of a series after the next one; empty for other occurrences.
  private func pendingLater(_ name: OccurrenceName, in context: PlanningContext) -> [Pending] {
    guard let reminder = context.catalog.reminder(name.reminder),
      let date = context.laterDate(
        of: reminder, key: name.key, progress: progress, within: nil)
    else { return [] }
    return pending(date, of: reminder, in: context)
  }

  /// Returns an occurrence that has not become due, for each of its channel groups.
  private func pending(
    _ occurrence: Occurrence, of reminder: Reminder, in context: PlanningContext
  ) -> [Pending] {
    context.channelGroups(of: reminder, key: occurrence.key).map { channelGroup in
      var input = context.gateInput(
        reminder, key: occurrence.key, planned: occurrence.planned, deadline: occurrence.deadline,
        channelGroup: channelGroup, countedDeliveries: [])
      progress.setCountedDeliveries(of: &input)
      return pending(
        reminder, key: occurrence.key, channelGroup: channelGroup, unsnoozed: occurrence.planned,
        from: occurrence.planned, input, in: context)
    }
  }

  /// - Parameter unsnoozed: the planned instant without any snooze.
  private func pending(
    _ reminder: Reminder, key: Int64, channelGroup: ChannelGroup, unsnoozed: Instant,
    from start: Instant, _ input: GateInput, in context: PlanningContext
  ) -> Pending {
    var subject = context.subject(of: reminder, key: key)
    subject.details = subject.details?.counting(
      batch(of: reminder, planned: unsnoozed, subject.details), by: reminder.batch)
    let decision = Gates.decide(input, from: start).shown(planned: input.planned)
    return Pending(
      reminder: reminder.symbol, key: key, channelGroup: channelGroup, planned: input.planned,
      deadline: input.deadline, decision: decision,
      channels: context.outgoingChannels(
        reminder, key: key, channelGroup: channelGroup, at: decision.at),
      message: messageIndex(for: reminder, key: key, in: context), subject: subject,
      sharedDate: context.sharedDate(of: reminder, key: key))
  }
}

extension Pending {
  /// Creates a pending occurrence from the result of a simulation.
  fileprivate init(_ firing: Firing, in context: PlanningContext) {
    let reminder = context.catalog.reminder(firing.reminder)
    self.init(
      reminder: firing.reminder, key: firing.key, channelGroup: firing.channelGroup,
      planned: firing.planned,
      decision: Decision(
        outcome: .delivered, at: firing.at, trace: firing.trace, isSilent: firing.isSilent),
      channels: firing.channels, message: firing.message, subject: firing.subject,
      sharedDate: reminder.map { context.sharedDate(of: $0, key: firing.key) } ?? SharedDate(),
      waitsFor: firing.waitsFor)
    adopt(firing)
  }

  /// Sets the decision to the result of a simulation.
  fileprivate mutating func adopt(_ firing: Firing) {
    guard case .finished(let outcome) = firing.result else { return }
    decision = Decision(
      outcome: outcome, at: firing.shownAt, trace: firing.trace, isSilent: firing.isSilent)
    channels = firing.channels
    message = firing.message
  }
}

/// A pending occurrence of a `smart` reminder.
struct SmartOccurrence {
  let reminder: Reminder
  let occurrence: Occurrence
}

extension Recipient {
  /// Returns the pending occurrences of `smart` reminders, whose hour follows the recipient's
  /// habits, if their hour may change. The hour changes if the opening of a notification on an
  /// earlier day is reported late (rule M3).
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

  /// Keeps occurrences at their previous instants if their new hours are already past, so that the
  /// date is not skipped.
  mutating func keepInstants(of occurrences: [SmartOccurrence], now: Instant, _ planner: Planner) {
    guard !occurrences.isEmpty else { return }
    let context = PlanningContext(facts: facts, planner: planner)
    for smart in occurrences where smart.occurrence.planned > now {
      let next = context.next(smart.reminder, after: progress.cutoff, progress: progress)
      guard next?.key != smart.occurrence.key else { continue }
      start(
        smart.occurrence, of: smart.reminder, due: smart.occurrence.planned, in: context)
    }
  }
}

extension Event {
  fileprivate var isOpening: Bool { if case .opening = content { true } else { false } }
}
