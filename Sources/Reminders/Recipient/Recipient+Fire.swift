package import CivilTime

extension Recipient {
  /// Fires what is due at `now`: each occurrence is delivered, held or dropped.
  ///
  /// After a pause it catches up (rule T7): what was missed goes out late if it has not expired,
  /// and of a repeating reminder only the latest.
  ///
  /// - Returns: what came of each, and what is to be done next.
  package mutating func fire(
    now: Instant, planner: Planner
  ) -> (firings: [Firing], schedule: Schedule) {
    fire(now: now, in: PlanningContext(facts: facts, planner: planner))
  }

  /// The same for a caller that has the context of these very facts at hand. What is settled of
  /// the requests leaves the facts: whoever keeps them compares.
  ///
  /// - Parameter observer: told of what the gates were asked with, for those who explain.
  package mutating func fire(
    now: Instant, in context: PlanningContext, observer: GateObserver? = nil
  ) -> (firings: [Firing], schedule: Schedule) {
    var firings: [Firing] = []
    let start = progress.cutoff
    var found: [PlannedSource.Planned] = []
    var schedule = startDue(now: now, in: context, &found, firings: &firings)
    progress.cutoff = max(progress.cutoff, now)
    decideAllDue(
      now: now, since: start, in: context, planned: .found(found), firings: &firings, observer)
    for entry in progress.underWay { schedule.add(entry.due) }
    return (firings, schedule)
  }

  /// Decides what is under way and due, and forgets the requests that have had their turn.
  ///
  /// - Parameters:
  ///   - start: until when everything had had its turn.
  ///   - planned: where what is planned is found.
  mutating func decideAllDue(
    now: Instant, since start: Instant, in context: PlanningContext, planned: PlannedSource,
    firings: inout [Firing], _ observer: GateObserver?
  ) {
    var decided: [Candidate] = []
    var day: DayAhead?
    var bound = LoopBound("what is due", steps: 10 * LoopBound.steps)
    while bound.goesOn(), let due = progress.underWay.first?.due, due <= now {
      // How fast the service works changes nothing: what is due counts when it was due.
      let instant = now - due <= Self.punctuality ? due : now
      decided += decideDue(
        now: instant, in: context, planned: planned, &day, firings: &firings, observer)
    }
    forgetSettled(decided)
    forgetSwitchedOff(since: start, in: context)
    forgetSettledKeys(in: context)
  }

  /// What is decided later than this counts when it was decided (rule T8).
  static let punctuality = TimeSpan.minutes(1)

  /// Whether something under way waits for its turn at `now`.
  package func hasDue(at now: Instant) -> Bool {
    progress.underWay.first.map { $0.due <= now } ?? false
  }

  /// Puts under way what was planned since the cutoff.
  ///
  /// - Parameter found: gathers what may have its slot kept of what is planned after `now`.
  /// - Returns: what is planned after `now`.
  private mutating func startDue(
    now: Instant, in context: PlanningContext, _ found: inout [PlannedSource.Planned],
    firings: inout [Firing]
  ) -> Schedule {
    var schedule = Schedule(due: nil, pending: 0)
    func add(_ occurrence: Occurrence, of reminder: Reminder, turn: Instant) {
      schedule.add(turn, ways: context.wayCount(of: reminder, key: occurrence.key))
      guard context.settings.hasSlots, context.mayKeepSlot(reminder) else { return }
      found.append(PlannedSource.Planned(reminder: reminder, occurrence: occurrence))
    }
    context.forEachPlanned { reminder in
      guard reminder.isPlural else {
        let next = startSeries(of: reminder, now: now, in: context, firings: &firings)
        if let next { add(next, of: reminder, turn: next.planned) }
        return
      }
      var due: [Occurrence] = []
      context.forEachNext(reminder, after: progress.cutoff, progress: progress) { occurrence in
        let turn = context.turn(of: occurrence, of: reminder, after: progress.cutoff)
        guard turn <= now else { return add(occurrence, of: reminder, turn: turn) }
        due.append(occurrence)
      }
      startItems(due, of: reminder, in: context)
    }
    return schedule
  }

  /// The same for a reminder of which one occurrence follows the other.
  ///
  /// - Returns: the first after `now`.
  mutating func startSeries(
    of reminder: Reminder, now: Instant, in context: PlanningContext, firings: inout [Firing]
  ) -> Occurrence? {
    var after = progress.cutoff
    var bound = LoopBound("missed occurrences", steps: 10 * LoopBound.steps)
    while bound.goesOn(), let occurrence = context.next(reminder, after: after, progress: progress)
    {
      guard occurrence.planned <= now else { return occurrence }
      after = occurrence.planned
      if reminder.isRepeating {
        dropMissed(reminder, at: now, in: context, firings: &firings)
      }
      start(occurrence, of: reminder, due: occurrence.planned, in: context)
    }
    return nil
  }

  /// The same for those of a reminder of which several may wait, also for the same instant.
  mutating func startItems(
    _ due: [Occurrence], of reminder: Reminder, in context: PlanningContext
  ) {
    guard !due.isEmpty else { return }
    if reminder.batch != nil { forgetBatches(in: context) }
    var entries: [Progress.UnderWay] = []
    for occurrence in context.inTurn(due, of: reminder) {
      var ways = ways(of: occurrence, of: reminder, due: occurrence.planned, in: context)
      for index in ways.indices where ways[index].deadline != nil {
        ways[index].due = context.turn(of: ways[index], of: reminder, after: progress.cutoff)
      }
      entries += ways
    }
    progress.enqueue(entries)
  }

  /// Puts an occurrence under way on each of its ways out.
  mutating func start(
    _ occurrence: Occurrence, of reminder: Reminder, due: Instant, in context: PlanningContext
  ) {
    progress.enqueue(ways(of: occurrence, of: reminder, due: due, in: context))
  }

  /// The ways out of an occurrence that comes under way; none if its batch has been told of
  /// wherever it could be.
  mutating func ways(
    of occurrence: Occurrence, of reminder: Reminder, due: Instant, in context: PlanningContext
  ) -> [Progress.UnderWay] {
    let isContinuation = joinBatch(occurrence, of: reminder, in: context)
    let channelGroups = context.channelGroups(of: reminder, key: occurrence.key)
      .filter { !isContinuation || $0 == .inapp }
    if channelGroups.isEmpty {
      progress.settle(
        reminder.symbol, key: occurrence.key, message: nil, isPlural: reminder.isPlural)
    }
    return channelGroups.map { channelGroup in
      Progress.UnderWay(
        reminder: reminder.symbol, key: occurrence.key, channelGroup: channelGroup,
        planned: occurrence.planned, due: due, holds: GateTrace(), deadline: occurrence.deadline)
    }
  }

  /// Drops an earlier occurrence that is due as well, or held: the later one takes its place. A
  /// run of such,
  /// of which no gate was asked about any, comes to one record with its number (rule T7).
  private mutating func dropMissed(
    _ reminder: Reminder, at now: Instant, in context: PlanningContext, firings: inout [Firing]
  ) {
    let isMissed = { (entry: Progress.UnderWay) in
      entry.reminder == reminder.symbol && entry.planned <= now && entry.channelGroup != .collected
    }
    for entry in progress.underWay where isMissed(entry) {
      var firing = missed(entry, of: reminder, at: now, in: context)
      let last = firings.lastIndex { $0.isMissed(like: entry) }
      if entry.holds == GateTrace(), let last {
        firing.trace.runLength = firings.remove(at: last).trace.runLength + 1
      }
      firings.append(firing)
    }
    progress.underWay.removeAll(where: isMissed)
  }

  /// An occurrence whose place a later one of its series takes.
  func missed(
    _ entry: Progress.UnderWay, of reminder: Reminder, at now: Instant, in context: PlanningContext
  ) -> Firing {
    dropped(entry, of: reminder, by: .missed, at: now, in: context)
  }

  /// The drop of an occurrence under way that is not decided by the gates.
  func dropped(
    _ entry: Progress.UnderWay, of reminder: Reminder, by gate: Gate, at now: Instant,
    in context: PlanningContext
  ) -> Firing {
    var trace = entry.holds
    trace.note(gate, .drops)
    return Firing(
      reminder: entry.reminder, key: entry.key, round: entry.round,
      channelGroup: entry.channelGroup, planned: entry.planned,
      at: now, expiry: entry.planned + reminder.expires, result: .settled(.dropped),
      trace: trace,
      channels: context.channels(of: reminder).intersection(entry.channelGroup.channels),
      message: message(for: reminder, key: entry.key, in: context),
      subject: context.subject(of: reminder, key: entry.key), isFirst: entry.holds == GateTrace())
  }

  /// Notes what came of an occurrence.
  mutating func settle(_ firing: Firing, of candidate: Candidate, in context: PlanningContext) {
    let reminder = candidate.reminder
    // What is requested is forgotten when no way out is open any more.
    if case .request = reminder.trigger { return }
    // What it has said is on record since it said it on another way out.
    guard candidate.entry.message == nil else { return }
    // E-mail of an earlier date comes after: the latest date stays the one that had its turn.
    if firing.channelGroup == .collected, reminder.isRepeating,
      let latest = progress.settled(reminder.symbol), latest.key > firing.key
    {
      return
    }
    let isSaid = firing.result != .settled(.dropped)
    progress.settle(
      firing.reminder, key: latestKey(firing.key, of: reminder, in: context),
      message: isSaid ? firing.message : nil,
      isPlural: reminder.isPlural)
  }

  /// The later of an occurrence of a calendar reminder and the one that had its turn last: what was
  /// snoozed beyond others of its series does not bring their dates back (rule T2).
  func latestKey(
    _ key: Int64, of reminder: Reminder, in context: PlanningContext
  ) -> Int64 {
    guard case .calendar(let trigger) = reminder.trigger,
      let latest = progress.settled(reminder.symbol)?.key, latest > key
    else { return key }
    // A key that far ahead is of another kind of reminder that had the name before.
    let span = context.date(of: latest, trigger) - context.date(of: key, trigger)
    return span <= Self.snoozedDays ? latest : key
  }

  /// For longer nothing is snoozed.
  private static let snoozedDays = 366

  /// Rotates through a reminder's messages by recipient, reminder and occurrence, never the same
  /// twice running (rule I6).
  func message(for reminder: Reminder, key: Int64, in context: PlanningContext) -> UInt8 {
    let chosen = reminder.topics.map { reminder.messages(about: $0.chosen(context.settings)) }
    let count = UInt64(chosen?.count ?? reminder.messages.count)
    guard count > 1 else { return chosen?.first ?? 0 }
    // Two names with one hash rotate alike, which is no harm.
    let seed = stableHash(name) ^ UInt64(reminder.symbol.code)
    let place = mixed(seed &+ UInt64(bitPattern: key)) % count
    func message(_ place: UInt64) -> UInt8 { chosen?[Int(place)] ?? UInt8(place) }
    let isRepeated = progress.settled(reminder.symbol)?.message == message(place)
    return message(isRepeated ? (place + 1) % count : place)
  }
}

extension Firing {
  /// Whether it is what came before an occurrence, of which no gate was asked either.
  ///
  /// Of the firings so far, which are all drops of what was missed.
  fileprivate func isMissed(like entry: Progress.UnderWay) -> Bool {
    isFirst && reminder == entry.reminder && channelGroup == entry.channelGroup
  }

  /// Whether the person is told, by itself or in a digest.
  var isSaid: Bool { result == .settled(.delivered) || result == .settled(.bundled) }
}

extension Progress.UnderWay {
  /// Says what its occurrence has said on another way out.
  mutating func keepMessage(of firing: Firing) {
    if reminder == firing.reminder, key == firing.key { message = firing.message }
  }
}

extension Progress {
  mutating func keepMessage(of firing: Firing) {
    Work.count(underWay.count)
    for index in underWay.indices { underWay[index].keepMessage(of: firing) }
  }
}
