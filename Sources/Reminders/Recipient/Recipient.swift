package import CivilTime

/// A recipient's facts and progress, which determine all pending occurrences.
///
/// The service, the simulation and the tests call the same few functions. These apply an event,
/// fire due occurrences, and return pending ones. The functions read no clock. As long as no event
/// arrives, an `Outlook` yields the same occurrences faster.
package struct Recipient: Hashable, Sendable {
  /// The id that the app gives the recipient, 1 to 128 bytes.
  package let name: String
  package internal(set) var facts: Facts
  package internal(set) var progress: Progress

  /// Creates a recipient without facts.
  package init(name: String, now: Instant) {
    self.init(name: name, facts: Facts(), progress: Progress(cutoff: now))
  }

  package init(name: String, facts: Facts, progress: Progress) {
    self.name = name
    self.facts = facts
    self.facts.seed = RecipientSeed(of: name)
    self.progress = progress
  }
}

/// A recipient's entry for the timer wheel.
package struct Schedule: Hashable, Sendable {
  /// The instant at which an occurrence is due next; nil if none is pending.
  package var due: Instant?
  /// The number of entries in the list of pending occurrences: one for each channel group of an
  /// occurrence. Each member of a digest counts.
  package var pending: Int

  package init(due: Instant?, pending: Int) {
    self.due = due
    self.pending = pending
  }

  mutating func add(_ instant: Instant, groupCount: Int = 1) {
    due = min(due ?? instant, instant)
    pending += groupCount
  }
}

extension Recipient {
  /// Returns when an occurrence is due next, and the number of pending entries.
  ///
  /// - Parameter context: a context with the recipient's current facts.
  package func schedule(in context: PlanningContext) -> Schedule {
    var schedule = Schedule(due: nil, pending: 0)
    for entry in progress.inProgress { schedule.add(entry.due) }
    var counter = ChannelGroupCounter(context)
    let cutoff = progress.cutoff
    for reminder in context.plannedReminders() {
      context.forEachNext(reminder, after: cutoff, progress: progress) {
        schedule.add(
          context.dueInstant(of: $0, of: reminder, after: cutoff),
          groupCount: counter.count(of: $0, of: reminder))
      }
    }
    return schedule
  }
}

/// A recorded occurrence that was dropped because of a wrong clock.
package struct DroppedOccurrence: Sendable {
  package let reminder: Symbol
  /// The key of the occurrence, which is unique within its reminder.
  package let key: Int64
  /// The `ChannelGroup.number` of the channel group.
  package let channelGroupNumber: UInt8
  /// The planned instant, or the end of a snooze.
  package let planned: Instant
  /// The round of the occurrence: 0 for the first one. Otherwise the arrival number of the event
  /// after which the occurrence is sent again, such as a snooze.
  package let round: Int64

  package init(
    reminder: Symbol, key: Int64, channelGroupNumber: UInt8, planned: Instant, round: Int64 = 0
  ) {
    self.reminder = reminder
    self.key = key
    self.channelGroupNumber = channelGroupNumber
    self.planned = planned
    self.round = round
  }
}

extension Recipient {
  /// Reverts the effects of a clock that was ahead (rules T6, T11). Occurrences planned after `now`
  /// are open again, except occurrences that still have an outcome in the store.
  ///
  /// - Parameters:
  ///   - dropped: the occurrences dropped under the wrong clock. An occurrence is in progress again
  ///     if its planned instant, without any snooze, is not after `now`.
  ///   - requests: the events that requested dropped notifications, with their numbers in the order
  ///     of arrival, because finished requests have left the facts.
  package mutating func rewind(
    to now: Instant, planner: Planner, reopening dropped: [DroppedOccurrence] = [],
    requests: [(event: Event, order: Int64)] = []
  ) {
    guard progress.cutoff > now else { return }
    for (event, order) in requests { facts.fold(event, order: order, memory: nil) }
    progress.cutoff = now
    progress.inProgress.removeAll { $0.planned > now && !$0.isSnoozed }
    makeHeldDue(at: now, in: planner.zone(of: facts))
    progress.forgetRecent(after: now)
    progress.batches.removeAll { $0.latest > now }
    reopen(after: now, planner: planner)
    let yesterday = Int64(planner.zone(of: facts).date(at: now).daysSinceEpoch) - 1
    for index in progress.finished.indices {
      let reminder = planner.catalog.reminder(progress.finished[index].reminder)
      guard let reminder, reminder.isRepeating else { continue }
      let key = progress.finished[index].key
      let last =
        reminder.allowsSeveralPending
        ? PlanKey.last(ofSeriesOf: key, on: LocalDate(daysSinceEpoch: Int(yesterday))) : yesterday
      progress.finished[index].key = min(key, last)
    }
    resume(dropped, at: now, in: PlanningContext(facts: facts, planner: planner))
  }

  /// Makes occurrences due if gates held them under the wrong clock. An occurrence of an earlier
  /// date that a cap held still waits for the start of the recipient's day (rule V9).
  private mutating func makeHeldDue(at now: Instant, in zone: Zone) {
    let date = zone.date(at: now)
    for index in progress.inProgress.indices where progress.inProgress[index].planned <= now {
      if !progress.inProgress[index].wasHeldInFormerZone { progress.inProgress[index].due = now }
      guard let cappedOn = progress.inProgress[index].cappedOn, cappedOn >= date else { continue }
      let isOlder = zone.date(at: progress.inProgress[index].planned) < date
      progress.inProgress[index].cappedOn = isOlder ? date - 1 : nil
    }
    progress.sortByDue()
  }

  /// Reopens the finished occurrences planned after `now`, of reminders that do not repeat. Their
  /// records stay under a key that no occurrence has, so that the last message is still known.
  private mutating func reopen(after now: Instant, planner: Planner) {
    let context = PlanningContext(facts: facts, planner: planner)
    for index in progress.finished.indices {
      let (symbol, key) = (progress.finished[index].reminder, progress.finished[index].key)
      guard let reminder = planner.catalog.reminder(symbol), !reminder.isRepeating,
        let occurrence = context.occurrence(of: reminder, key: key),
        occurrence.planned > now
      else { continue }
      progress.finished[index].key = .max
    }
  }

  /// Starts again the dropped occurrences that waited for a gate or a snooze at `now`. Other
  /// dropped occurrences are planned after `now`, so that planning yields them.
  private mutating func resume(
    _ dropped: [DroppedOccurrence], at now: Instant, in context: PlanningContext
  ) {
    var entries: [Progress.InProgress] = []
    for drop in dropped {
      guard let reminder = context.catalog.reminder(drop.reminder),
        context.hasBegun(reminder, drop, by: now),
        let channelGroup = context.channelGroups(of: reminder, key: drop.key).first(where: {
          $0.number == drop.channelGroupNumber
        }),
        !progress.inProgress.contains(where: { $0.matches(drop) })
      else { continue }
      let unsnoozed = context.unsnoozedInstant(of: reminder, key: drop.key)
      var entry = Progress.InProgress(
        reminder: drop.reminder, key: drop.key, channelGroup: channelGroup, planned: drop.planned,
        due: max(drop.planned, now), holds: GateTrace(),
        originalInstant: unsnoozed.flatMap { $0 < drop.planned ? $0 : nil }, round: drop.round)
      setCappedDate(of: &entry, reminder, at: now, in: context)
      entries.append(entry)
    }
    progress.enqueue(entries)
  }

  /// Notes yesterday's date if a cap of yesterday held the occurrence (rule V9). That is so if the
  /// cap was reached and the occurrence was planned yesterday or earlier.
  private func setCappedDate(
    of entry: inout Progress.InProgress, _ reminder: Reminder, at now: Instant,
    in context: PlanningContext
  ) {
    let zone = context.zone
    let yesterday = zone.date(at: now) - 1
    guard zone.date(at: entry.planned) <= yesterday else { return }
    let sentCount = progress.countedDeliveries.count { zone.date(at: $0) == yesterday }
    let isAtCap = context.settings.capPerDay.map { sentCount >= $0 } ?? false
    let isAtPolicyCap =
      entry.channelGroup.isInterrupting && context.urgency(of: reminder) < .critical
      && progress.policyCaps(of: reminder, in: context)
        .contains { $0.isFull(on: yesterday, in: zone) }
    guard isAtCap || isAtPolicyCap else { return }
    entry.cappedOn = yesterday
    if !isAtCap { entry.holds.note(.policyCap, .holds(until: now)) }
  }
}

extension Progress.InProgress {
  fileprivate func matches(_ drop: DroppedOccurrence) -> Bool {
    reminder == drop.reminder && key == drop.key && channelGroup.number == drop.channelGroupNumber
  }
}

extension PlanningContext {
  /// Returns whether an occurrence's planned instant, without any snooze, was not after `now`. A
  /// snoozed date of a repeating reminder counts only if it is before today.
  fileprivate func hasBegun(
    _ reminder: Reminder, _ drop: DroppedOccurrence, by now: Instant
  ) -> Bool {
    guard drop.planned > now else { return true }
    if let date = repeatingDate(of: drop.key, reminder) { return date < zone.date(at: now) }
    return occurrence(of: reminder, key: drop.key).map { $0.planned <= now } ?? false
  }
}
