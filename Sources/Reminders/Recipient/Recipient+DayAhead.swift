import CivilTime

extension Recipient {
  /// Returns the later occurrences of a date that are known at `now`. Each is evaluated as if it
  /// were the only one.
  ///
  /// - Parameters:
  ///   - held: the entries that the current decisions hold; they are not yet in `progress`.
  ///   - planned: the source of the occurrences that are planned for later.
  /// - Complexity: linear in the entries in progress, and in the occurrences planned until the
  ///   date's end.
  func dayAhead(
    on date: LocalDate, from now: Instant, held: [Progress.InProgress], planned: PlannedSource,
    in context: PlanningContext
  ) -> DayAhead {
    let end = context.zone.end(of: date, after: now)
    var collector = DayAheadCollector(context: context, progress: progress, date: date, end: end)
    Work.count(progress.inProgress.count + held.count)
    for entry in progress.inProgress where entry.due > now { collector.add(entry) }
    for entry in held where entry.due > now { collector.add(entry) }
    planned.forEachPlanned(before: end, progress: progress, in: context) { collector.add($0, $1) }
    let threshold = Int(clamping: context.settings[.bundlingThreshold])
    return DayAhead(collector.entries, on: date, threshold: threshold)
  }
}

extension PlanningContext {
  /// Calls `body` for an occurrence and for the later occurrences of its series before `end`. An
  /// occurrence with a deadline may be planned up to 24 hours after `end`, because it may be fired
  /// early.
  func forEachPlanned(
    _ first: Occurrence, of reminder: Reminder, before end: Instant, progress: Progress,
    _ body: (Reminder, Occurrence) -> Void
  ) {
    guard !reminder.allowsSeveralPending || reminder.isRepeating else {
      if first.planned < end + .hours(first.deadline == nil ? 0 : 24) { body(reminder, first) }
      return
    }
    var next: Occurrence? = first
    var bound = LoopBound("occurrences of a day")
    while bound.countStep(), let occurrence = next, occurrence.planned < end {
      body(reminder, occurrence)
      next = self.next(
        reminder, item: occurrence.item, after: occurrence.planned, progress: progress)
    }
  }
}

/// Collects the occurrences that are sent later on the day.
private struct DayAheadCollector {
  let context: PlanningContext
  let progress: Progress
  let date: LocalDate
  /// The end of the local date.
  let end: Instant
  private(set) var entries: [DayAhead.Entry] = []
  /// The indices in `entries` of the occurrences of series.
  private var seriesIndices: [SeriesInstant: Int] = [:]
  /// The instant from which the operator's caps allow notifications of a category, by its index.
  private var capEnds: [Int: Instant] = [:]

  /// Identifies the occurrences of a series and its repetitions that are sent at one instant. Only
  /// the latest of them is sent.
  private struct SeriesInstant: Hashable {
    let reminder: Symbol
    /// The number of the series; nil unless the reminder repeats.
    let series: Int64?
    let channelGroupNumber: UInt8
    /// The instant of sending.
    let at: Instant
  }

  init(context: PlanningContext, progress: Progress, date: LocalDate, end: Instant) {
    (self.context, self.progress, self.date, self.end) = (context, progress, date, end)
  }

  mutating func add(_ entry: Progress.InProgress) {
    guard entry.channelGroup.isInterrupting,
      let reminder = context.catalog.reminder(entry.reminder),
      context.mayReserve(reminder) || (entry.isWaiting && context.urgency(of: reminder) == .low)
    else { return }
    // For a snoozed entry, or one that is due early, the gates have not been evaluated at its
    // planned instant.
    if entry.planned >= entry.due, entry.holds == GateTrace() {
      return addPlanned(entry, of: reminder, isEarly: entry.planned > entry.due)
    }
    guard entry.due < end else { return }
    // A waiting entry may be due only because it expires.
    if entry.isWaiting {
      let input = context.gateInput(entry, of: reminder, countedDeliveries: [])
      guard entry.due <= input.expiry else { return }
    }
    append(entry, of: reminder, isEarly: false)
  }

  mutating func add(_ reminder: Reminder, _ occurrence: Occurrence) {
    guard context.mayReserve(reminder) else { return }
    let (key, planned) = (occurrence.key, occurrence.planned)
    for channelGroup in context.channelGroups(of: reminder, key: key)
    where channelGroup.isInterrupting {
      var entry = Progress.InProgress(
        reminder: reminder.symbol, key: key, channelGroup: channelGroup, planned: planned,
        due: planned, holds: GateTrace(), deadline: occurrence.deadline)
      entry.due = context.dueInstant(of: entry, of: reminder, after: Instant(milliseconds: .min))
      if entry.due == planned {
        addPlanned(entry, of: reminder, isEarly: false)
      } else if entry.due < end {
        append(entry, of: reminder, isEarly: true)
      }
    }
  }

  /// Adds an occurrence at the instant at which it passes the gates.
  private mutating func addPlanned(
    _ entry: Progress.InProgress, of reminder: Reminder, isEarly: Bool
  ) {
    let input = context.gateInput(
      reminder, key: entry.key, planned: entry.planned, deadline: entry.deadline,
      channelGroup: entry.channelGroup, countedDeliveries: [])
    let decision = Gates.decide(input, from: input.planned, ignoringLimits: true)
    guard decision.outcome == .delivered, decision.at < end else { return }
    var entry = entry
    (entry.due, entry.holds) = (decision.at, decision.trace)
    append(entry, of: reminder, isEarly: isEarly)
  }

  /// Returns whether the operator's caps allow a reminder at an instant, according to the known
  /// deliveries. If the caps do not, nothing is reserved for the reminder.
  private mutating func hasPolicyCapacity(_ reminder: Reminder, at instant: Instant) -> Bool {
    guard !context.catalog.policies.caps.isEmpty else { return true }
    let end = capEnds[reminder.category] ?? capEnd(of: reminder)
    capEnds[reminder.category] = end
    return instant >= end
  }

  /// Returns the instant from which the operator's caps allow a reminder on the date.
  private func capEnd(of reminder: Reminder) -> Instant {
    let caps = progress.policyCaps(of: reminder, in: context)
    let isFull = caps.contains { $0.isFull(on: date, in: context.zone) }
    let intervalEnd = caps.compactMap(\.intervalEnd).max() ?? Instant(milliseconds: .min)
    return isFull ? end : intervalEnd
  }

  /// - Parameter entry: an entry whose `due` is the instant at which it is sent.
  private mutating func append(
    _ entry: Progress.InProgress, of reminder: Reminder, isEarly: Bool
  ) {
    guard isEarly || hasPolicyCapacity(reminder, at: entry.due) else { return }
    let (key, channelGroup) = (entry.key, entry.channelGroup)
    let seriesInstant = SeriesInstant(
      reminder: reminder.repeated ?? reminder.symbol, series: reminder.series(of: key),
      channelGroupNumber: channelGroup.number, at: entry.due)
    let index = reminder.isRepeating ? seriesIndices[seriesInstant] : nil
    if let index, entries[index].planned >= entry.planned { return }
    let isCollected = channelGroup == .collected
    let new = DayAhead.Entry(
      beneficiary: CapReservations.Beneficiary(
        reminder: reminder.symbol, key: key, at: entry.due),
      urgency: context.urgency(of: reminder), planned: entry.planned,
      isWaiting: entry.isWaiting, isEarly: isEarly,
      hasWaited: entry.holds.hasHolds || isCollected || entry.isSnoozed,
      member: Bundling.Member(
        channels: context.outgoingChannels(
          reminder, key: key, channelGroup: channelGroup, at: entry.due),
        isFromVacation: entry.holds.hasHeld(.vacation), isSnoozed: entry.isSnoozed,
        isCollected: isCollected, isAlone: context.hasOwnChannels(reminder, key: key)))
    guard let index else {
      if reminder.isRepeating { seriesIndices[seriesInstant] = entries.count }
      return entries.append(new)
    }
    entries[index] = new
  }
}
