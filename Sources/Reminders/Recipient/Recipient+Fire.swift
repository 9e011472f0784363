package import CivilTime

extension Recipient {
  /// Fires all occurrences due at `now`: each is delivered, held by a gate until later, or dropped.
  ///
  /// After a pause of the service, unexpired occurrences are sent late (rule T7). Of a repeating
  /// reminder, only the latest occurrence is sent.
  ///
  /// - Returns: the results, and the schedule of the next occurrences.
  package mutating func fire(
    now: Instant, planner: Planner
  ) -> (firings: [Firing], schedule: Schedule) {
    fire(now: now, in: PlanningContext(facts: facts, planner: planner))
  }

  /// Fires all occurrences due at `now`, with a context of the current facts. Finished requests
  /// leave the facts, so a caller that stores the facts must check whether they have changed.
  ///
  /// - Parameter observer: a function that is called with the inputs of the gates, for
  ///   explanations.
  package mutating func fire(
    now: Instant, in context: PlanningContext, observer: GateObserver? = nil
  ) -> (firings: [Firing], schedule: Schedule) {
    var firings: [Firing] = []
    let start = progress.cutoff
    var reservable: [PlannedSource.Planned] = []
    var schedule = startDue(now: now, in: context, &reservable, firings: &firings)
    progress.cutoff = max(progress.cutoff, now)
    decideAllDue(
      now: now, since: start, in: context, planned: .future(reservable), firings: &firings, observer
    )
    for entry in progress.inProgress { schedule.add(entry.due) }
    return (firings, schedule)
  }

  /// Decides all due occurrences, and removes finished requests.
  ///
  /// - Parameters:
  ///   - start: the instant up to which all due occurrences had been fired.
  ///   - planned: the source of the occurrences for which capacity may be reserved.
  mutating func decideAllDue(
    now: Instant, since start: Instant, in context: PlanningContext, planned: PlannedSource,
    firings: inout [Firing], _ observer: GateObserver?
  ) {
    var requests: [OccurrenceName] = []
    var dayAhead: DayAhead?
    var bound = LoopBound("due occurrences", steps: 10 * LoopBound.steps)
    while bound.countStep(), let due = progress.inProgress.first?.due, due <= now {
      // A delivery that is late by at most `countedDelayMax` counts at the instant at which it was
      // due. So the speed of the service has no influence.
      let instant = now - due <= Self.countedDelayMax ? due : now
      requests +=
        decideDue(
          now: instant, in: context, planned: planned, &dayAhead, firings: &firings, observer
        ).requests
    }
    forgetFinished(requests)
    forgetSwitchedOff(since: start, in: context)
    forgetFinishedKeys(in: context)
  }

  /// The longest delay with which a decision still counts at the instant at which it was due. With
  /// a longer delay it counts at the instant of the decision (rule T8).
  package static let countedDelayMax = TimeSpan.minutes(1)

  /// Returns whether an occurrence in progress is due at `now`.
  package func hasDue(at now: Instant) -> Bool {
    progress.inProgress.first.map { $0.due <= now } ?? false
  }

  /// Starts the occurrences planned since `progress.cutoff`: adds them to the occurrences in
  /// progress.
  ///
  /// - Parameter reservable: collects occurrences planned after `now` for which capacity may be
  ///   reserved.
  /// - Returns: the schedule of occurrences planned after `now`.
  private mutating func startDue(
    now: Instant, in context: PlanningContext, _ reservable: inout [PlannedSource.Planned],
    firings: inout [Firing]
  ) -> Schedule {
    var schedule = Schedule(due: nil, pending: 0)
    var counter = ChannelGroupCounter(context)
    func add(_ occurrence: Occurrence, of reminder: Reminder, dueInstant: Instant) {
      schedule.add(dueInstant, groupCount: counter.count(of: occurrence, of: reminder))
      guard context.settings.limitsDeliveries, context.mayReserve(reminder) else { return }
      reservable.append(PlannedSource.Planned(reminder: reminder, occurrence: occurrence))
    }
    for reminder in context.plannedReminders() {
      guard reminder.allowsSeveralPending, !reminder.isRepeating else {
        context.forEachSeries(of: reminder) { item in
          let next = startSeries(of: reminder, item, now: now, in: context, firings: &firings)
          if let next { add(next, of: reminder, dueInstant: next.planned) }
        }
        continue
      }
      var due: [Occurrence] = []
      context.forEachNext(reminder, after: progress.cutoff, progress: progress) { occurrence in
        let dueInstant = context.dueInstant(of: occurrence, of: reminder, after: progress.cutoff)
        guard dueInstant <= now else {
          return add(occurrence, of: reminder, dueInstant: dueInstant)
        }
        due.append(occurrence)
      }
      startItems(due, of: reminder, in: context)
    }
    return schedule
  }

  /// Starts the due occurrences of a series.
  ///
  /// - Parameter item: the index of the entity whose plan is the series; nil if the reminder is one
  ///   series.
  /// - Returns: the first occurrence after `now`.
  mutating func startSeries(
    of reminder: Reminder, _ item: Int?, now: Instant, in context: PlanningContext,
    firings: inout [Firing]
  ) -> Occurrence? {
    var after = progress.cutoff
    var bound = LoopBound("missed occurrences", steps: 10 * LoopBound.steps)
    while bound.countStep(),
      let occurrence = context.next(reminder, item: item, after: after, progress: progress)
    {
      guard occurrence.planned <= now else { return occurrence }
      after = occurrence.planned
      if reminder.isRepeating {
        dropMissed(reminder, before: occurrence.key, at: now, in: context, firings: &firings)
      }
      start(occurrence, of: reminder, due: occurrence.planned, in: context)
    }
    return nil
  }

  /// Starts the due occurrences of a reminder with several entities. Several of these occurrences
  /// may be due at one instant.
  mutating func startItems(
    _ due: [Occurrence], of reminder: Reminder, in context: PlanningContext
  ) {
    guard !due.isEmpty else { return }
    if reminder.batch != nil { forgetBatches(in: context) }
    var entries: [Progress.InProgress] = []
    for occurrence in context.sortedByInstant(due, of: reminder) {
      var new = newEntries(of: occurrence, of: reminder, due: occurrence.planned, in: context)
      for index in new.indices where new[index].deadline != nil {
        new[index].due = context.dueInstant(of: new[index], of: reminder, after: progress.cutoff)
      }
      entries += new
    }
    progress.enqueue(entries)
  }

  /// Adds an occurrence to the occurrences in progress, once for each of its channel groups.
  mutating func start(
    _ occurrence: Occurrence, of reminder: Reminder, due: Instant, in context: PlanningContext
  ) {
    progress.enqueue(newEntries(of: occurrence, of: reminder, due: due, in: context))
  }

  /// Adds an occurrence to its batch (occurrences that share a notification). Returns an entry for
  /// each channel group in which the occurrence is to be sent. If the batch was already open, the
  /// only such group is the inbox. Then an occurrence that does not use the inbox is finished at
  /// once.
  mutating func newEntries(
    of occurrence: Occurrence, of reminder: Reminder, due: Instant, round: Int64 = 0,
    in context: PlanningContext
  ) -> [Progress.InProgress] {
    let isContinuation = joinBatch(occurrence, of: reminder, in: context)
    let channelGroups = context.channelGroups(of: reminder, key: occurrence.key)
      .filter { !isContinuation || $0 == .inapp }
    if channelGroups.isEmpty {
      progress.finish(
        reminder.symbol, key: occurrence.key, message: nil, replacing: reminder.replacedRecords)
    }
    return channelGroups.map { channelGroup in
      Progress.InProgress(
        reminder: reminder.symbol, key: occurrence.key, channelGroup: channelGroup,
        planned: occurrence.planned, due: due, holds: GateTrace(), round: round,
        deadline: occurrence.deadline)
    }
  }

  /// Drops the occurrences of a series that are due or held, because a later occurrence replaces
  /// them. E-mail that is collected for once a day or a week is kept. The occurrences for which no
  /// gate was evaluated share one record, which counts them (rule T7).
  ///
  /// - Parameter key: the key of the later occurrence.
  private mutating func dropMissed(
    _ reminder: Reminder, before key: Int64, at now: Instant, in context: PlanningContext,
    firings: inout [Firing]
  ) {
    let isMissed = { (entry: Progress.InProgress) in
      entry.reminder == reminder.symbol && entry.planned <= now && entry.channelGroup != .collected
        && reminder.hasOneSeries(entry.key, key)
    }
    for entry in progress.inProgress where isMissed(entry) {
      var firing = missed(entry, of: reminder, at: now, in: context)
      let last = firings.lastIndex {
        $0.isUnevaluated(like: entry) && reminder.hasOneSeries($0.key, key)
      }
      if entry.holds == GateTrace(), let last {
        firing.trace.runLength = firings.remove(at: last).trace.runLength + 1
      }
      firings.append(firing)
    }
    progress.inProgress.removeAll(where: isMissed)
  }

  /// Returns the firing (the result for a due occurrence) that drops an occurrence because a later
  /// one replaces it.
  func missed(
    _ entry: Progress.InProgress, of reminder: Reminder, at now: Instant,
    in context: PlanningContext
  ) -> Firing {
    dropped(entry, of: reminder, by: .missed, at: now, in: context)
  }

  /// Returns the firing that drops an occurrence in progress without a decision of the gates.
  func dropped(
    _ entry: Progress.InProgress, of reminder: Reminder, by gate: Gate, at now: Instant,
    in context: PlanningContext
  ) -> Firing {
    var trace = entry.holds
    trace.note(gate, .drops)
    return Firing(
      reminder: entry.reminder, key: entry.key, round: entry.round,
      channelGroup: entry.channelGroup, planned: entry.planned,
      at: now, expiry: context.expiry(of: entry, reminder), result: .finished(.dropped),
      trace: trace,
      channels: (context.entityChannels(of: reminder, key: entry.key)
        ?? context.channels(of: reminder)).intersection(entry.channelGroup.channels),
      message: messageIndex(for: reminder, key: entry.key, in: context),
      subject: context.subject(of: reminder, key: entry.key),
      isFirstEvaluation: entry.holds == GateTrace())
  }

  /// Records that an occurrence is finished.
  mutating func recordFinished(
    _ firing: Firing, of candidate: Candidate, in context: PlanningContext
  ) {
    let reminder = candidate.reminder
    // Requests are removed when they are finished in all channel groups.
    if case .request = reminder.trigger { return }
    // The occurrence was recorded as finished when the message was sent in another channel group.
    guard candidate.entry.message == nil else { return }
    // Collected e-mail may finish after an occurrence of a later date, whose record must stay.
    if firing.channelGroup == .collected, reminder.isRepeating,
      let latest = progress.finished(reminder.symbol, inSeriesOf: firing.key, of: reminder),
      latest.key > firing.key
    {
      return
    }
    let isDropped = firing.result == .finished(.dropped)
    progress.finish(
      firing.reminder, key: latestKey(firing.key, of: reminder, in: context),
      message: isDropped ? nil : firing.message,
      pickedTime: context.pickedTime(of: candidate.entry, reminder),
      replacing: reminder.replacedRecords)
  }

  /// Returns the later of two keys of a series: the given key and the latest finished key. So an
  /// occurrence that was snoozed beyond later ones of its series does not make their
  /// dates pending again (rule T2).
  func latestKey(
    _ key: Int64, of reminder: Reminder, in context: PlanningContext
  ) -> Int64 {
    guard reminder.isRepeating,
      let latest = progress.finished(reminder.symbol, inSeriesOf: key, of: reminder)?.key,
      latest > key, let date = context.repeatingDate(of: key, reminder),
      let latestDate = context.repeatingDate(of: latest, reminder)
    else { return key }
    // A key that is further ahead belongs to another kind of reminder that had the same name.
    return latestDate - date <= Self.snoozeDaysMax ? latest : key
  }

  /// The maximum snooze in days.
  static let snoozeDaysMax = 366

  /// Returns the index of the message for an occurrence. The index follows from the recipient, the
  /// reminder, the key and the chosen topics. If the previous message had the same index, the next
  /// index is returned (rule I6).
  func messageIndex(for reminder: Reminder, key: Int64, in context: PlanningContext) -> UInt8 {
    let onTopic = reminder.topics.map { reminder.messages(about: $0.chosen(context.settings)) }
    let count = UInt64(onTopic?.count ?? reminder.messages.count)
    guard count > 1 else { return onTopic?.first ?? 0 }
    // Two recipients with the same hash get the same rotation, which is harmless.
    let seed = stableHash(name) ^ UInt64(reminder.symbol.code)
    let choice = mixed(seed &+ UInt64(bitPattern: key)) % count
    func index(_ choice: UInt64) -> UInt8 { onTopic?[Int(choice)] ?? UInt8(choice) }
    let isRepeated = progress.finished(reminder.symbol)?.message == index(choice)
    return index(isRepeated ? (choice + 1) % count : choice)
  }
}

extension Firing {
  /// Returns whether a missed occurrence has the reminder and the channel group of the entry, and
  /// its gates were never evaluated. The firing must be of a missed occurrence.
  fileprivate func isUnevaluated(like entry: Progress.InProgress) -> Bool {
    isFirstEvaluation && reminder == entry.reminder && channelGroup == entry.channelGroup
  }

  /// Whether the occurrence is sent, individually or in a digest.
  var isSent: Bool { result == .finished(.delivered) || result == .finished(.bundled) }
}

extension Progress.InProgress {
  /// Returns whether a firing is of the same occurrence, in any channel group.
  func isSameOccurrence(as firing: Firing) -> Bool {
    reminder == firing.reminder && key == firing.key
  }
}

extension Progress {
  /// Sets the message that the firing's occurrence has in another channel group.
  mutating func shareMessage(of firing: Firing) {
    Work.count(inProgress.count)
    for index in inProgress.indices where inProgress[index].isSameOccurrence(as: firing) {
      inProgress[index].message = firing.message
    }
  }
}
