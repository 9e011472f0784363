import CivilTime
import Outbox
import Reminders
import Store

extension EngineCore {
  /// Everything that a cycle writes, in one transaction.
  func perform(
    _ turn: inout Turn, _ requests: [Request], in transaction: any StoreWriter
  ) throws {
    try clock.saveNews(isRewinding: !schedule.stale.isEmpty, in: transaction)
    try planAnew(&turn, in: transaction)
    let submissions = try submissions(&turn, in: transaction)
    let batches = requests.compactMap(\.events) + [submissions.events]
    try lookAhead(batches, &turn, in: transaction)
    for request in requests { try perform(request, &turn, in: transaction) }
    try takeIn(submissions, &turn, in: transaction)
    if !turn.copies.isEmpty { try transaction.leave(turn.copies) }
    try fireDue(&turn, in: transaction)
    try saveTouched(&turn, in: transaction)
    try saveUsage(&turn, in: transaction)
    try shiftRetries(&turn, in: transaction)
    try recordHandovers(&turn, in: transaction)
  }

  private func perform(
    _ request: Request, _ turn: inout Turn, in transaction: any StoreWriter
  ) throws {
    switch request {
    case .submit(let events, let answer):
      var receipts: [Receipt] = []
      receipts.reserveCapacity(events.count)
      let events = events.span
      for index in events.indices {
        let known = turn.lookedUp.popFirst()
        receipts.append(try takeIn(events[index], knowing: known, &turn, in: transaction))
      }
      turn.endRequest()
      turn.answers.append { answer(.success(receipts)) }
    case .write(let write, let answer):
      let receipt = try perform(write, &turn, in: transaction)
      turn.answers.append { answer(.success(receipt)) }
    case .deadLetterWrite(let write, let answer):
      let receipt = try perform(write, &turn, in: transaction)
      turn.answers.append { answer(.success(receipt)) }
    case .pauseSink(let name, let isPaused, let answer):
      let isThere = try setPaused(isPaused, sink: name, &turn, in: transaction)
      turn.answers.append { answer(.success(isThere)) }
    case .drain(let node, let isDraining, let answer):
      let decision = try transaction.drain(node, isDraining)
      turn.answers.append { answer(.success(decision)) }
    case .test(let name, let order, let observer, let answer):
      let receipt = try perform(order, of: name, observer, &turn, in: transaction)
      turn.answers.append { answer(.success(receipt)) }
    case .token(let change, let answer):
      try perform(change, answer, &turn, in: transaction)
    case .inboxWrite(let name, let write, let answer):
      let receipt = try perform(write, of: name, &turn, in: transaction)
      turn.answers.append { answer(.success(receipt)) }
    case .sinkAnswered(let lane, let result):
      try record(result.map { $0 }, lane: lane, &turn, in: transaction)
    case .sinkAnsweredInPart(let lane, let answers, let rest, let freesLane):
      try record(
        .success(answers), to: .some(rest: rest, freesLane: freesLane), lane: lane, &turn,
        in: transaction)
    case .stragglersAnswered(let lane, let call, let result):
      try record(result, to: .rest(call), lane: lane, &turn, in: transaction)
    case .analyticsAnswered(let lane, let result):
      try record(result, ofAnalytics: lane, &turn, in: transaction)
    case .planWith(let planner):
      let isDone = schedule.recipients + turn.newRecipients == 0
      try keep(planner, isDone: isDone, in: transaction)
      if planner.fingerprint != self.planner.fingerprint {
        try keepPlanStart(turn.now, in: transaction)
      }
      turn.answers.append { [self] in plan(with: planner) }
    case .refresh:
      let table = try transaction.tokens()
      let paused = try pausedSinks(in: transaction)
      turn.answers.append { [tokens] in tokens.replace(by: table) }
      turn.pausedSinks = paused
    case .forgetTest, .adopt, .acquire, .release, .cleaned, .stop, .abandon: break
    }
  }
}

extension EngineCore {
  /// Carries out the effects of a committed cycle.
  func conclude(_ turn: Turn) {
    var counted = turn.counters
    counted.count(deliveries: turn.usage.deliveries)
    counters.add(counted)
    published.note(counted, at: turn.now)
    if schedule.stale.isEmpty { clock.allAreBack() }
    countUsage(turn.usageCounts)
    outbox.apply(turn.offers, through: turn.lastNotification)
    conclude(pausesOf: turn)
    offerAnalytics(after: turn)
    schedule.take(turn.schedules, newcomers: turn.newRecipients)
    spareMemory.note(turn.schedules.count, at: turn.now)
    noteSetAside(turn)
    publish(now: turn.now)
    // An answer may begin another planning, which counts all recipients again.
    countPlanning(turn)
    concludePlanning()
    for answer in turn.answers { answer() }
    tellWatchers(of: turn)
    // A planning without recipients ends at once.
    concludePlanning()
  }

  /// Reports a committed cycle to the journal; a cycle that was not committed has no notes.
  func report(_ turn: Turn) {
    if turn.notes.count > 0 { actions.report(turn.notes) }
    for note in turn.deliveryNotes.notes { actions.report(note) }
    if !turn.refusedSubmissions.isEmpty { actions.report(turn.refusedSubmissions) }
  }

  /// Refuses a request because of a store error.
  func refuse(_ request: Request, _ error: StoreError) {
    refuse(request, ServiceUnavailable(error))
  }

  /// Refuses a request for the given reason.
  func refuse(_ request: Request, _ unavailable: ServiceUnavailable) {
    switch request {
    case .submit(let events, let answer):
      counters.unanswered += events.count
      answer(.failure(unavailable))
    case .write(let write, let answer):
      counters.unanswered += write.events.count
      answer(.failure(unavailable))
    case .deadLetterWrite(_, let answer): answer(.failure(unavailable))
    case .pauseSink(_, _, let answer): answer(.failure(unavailable))
    case .drain(_, _, let answer): answer(.failure(unavailable))
    case .test(_, _, _, let answer): answer(.failure(unavailable))
    case .forgetTest(let notification): forgetTest(notification)
    case .token(_, let answer): answer(.failure(unavailable))
    case .inboxWrite(_, _, let answer): answer(.failure(unavailable))
    case .stop(let answer): answer(.failure(unavailable))
    case .adopt(_, let answer): answer(.failure(unavailable))
    case .acquire(_, let answer): answer(.failure(unavailable))
    case .release(_, let answer): answer(.failure(unavailable))
    case .cleaned, .refresh, .abandon: break
    case .sinkAnswered, .sinkAnsweredInPart, .stragglersAnswered, .analyticsAnswered, .planWith:
      postponed.append(request)
    }
  }
}

extension ServiceUnavailable {
  /// The reason why a change was not made.
  init(_ error: StoreError) {
    switch error {
    case .full:
      self.init(
        .storageFull, "the service's disk is full; nothing was changed, try again later")
    case .locked:
      self.init(
        .storeLocked,
        "another program has locked the service's store; nothing was changed, try again soon")
    default: self.init(.stopping, "the service cannot write and is restarting; try again")
    }
  }

  /// The reason why a query is not answered.
  init(asking error: StoreError) {
    switch error {
    case .locked:
      self.init(.storeLocked, "another program has locked the service's store; try again soon")
    case .damaged(_, let reason):
      self.init(
        .failed, "the requested data is damaged in the store: \(reason); a backup may contain it")
    default: self.init(.stopping, "the store cannot be read: \(error); try again")
    }
  }
}
