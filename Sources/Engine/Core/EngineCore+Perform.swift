import CivilTime
import Outbox
import Reminders
import Store

extension EngineCore {
  /// Writes all changes of an engine cycle, within its transaction.
  func perform(_ turn: inout Turn, _ requests: [Request]) throws {
    if clock.isUnsaved, clock.rewind != nil {
      try turn.transaction.recordAdoption(of: turn.planner, at: turn.now)
    }
    try clock.saveChanges(isRewinding: !schedule.stale.isEmpty, in: turn.transaction)
    try replan(&turn)
    let submissions = try ingestion.submissions(&turn)
    let batches = requests.compactMap(\.events) + [submissions.events]
    try ingestion.prefetch(batches, &turn)
    for request in requests { try perform(request, &turn) }
    try ingestion.ingest(submissions, &turn)
    try firing.fireDue(&turn)
    try firing.saveTouched(&turn)
    try ingestion.ingestRelays(&turn)
    if !turn.copies.isEmpty { try turn.transaction.insertCopies(turn.copies) }
    try turn.saveUsage()
    try shiftRetries(&turn)
    try outbox.recordDispatches(&turn, maySend: maySend)
  }

  /// Answers a request that needs no transaction, and refuses a write for a recipient that another
  /// node owns. Returns false for other requests, which have no answer yet.
  func answerWithoutTransaction(_ request: Request) -> Bool {
    switch request {
    case .forgetTest(let notification): outbox.forgetTest(notification)
    case .stop(let answer): answer(.success(()))
    case .cleaned, .abandon: break
    case .write, .inboxWrite, .test:
      guard let shard = request.recipient.flatMap(shards.foreignShard) else { return false }
      refuse(request, ServiceUnavailable(elsewhere: shard))
    case .submit, .deadLetterWrite, .pauseSink, .drain, .token, .sinkAnswered, .sinkAnsweredInPart,
      .stragglersAnswered, .analyticsAnswered, .planWith, .adopt, .acquire, .release, .refresh:
      return false
    }
    return true
  }

  private func perform(_ request: Request, _ turn: inout Turn) throws {
    switch request {
    case .submit(let events, let answer):
      var receipts: [Receipt] = []
      receipts.reserveCapacity(events.count)
      let events = events.span
      for index in events.indices {
        let rows = turn.requests.eventRows.popFirst()
        receipts.append(try ingestion.ingest(events[index], knowing: rows, &turn))
      }
      try ingestion.endRequest(&turn)
      turn.effects.answers.append { answer(.success(receipts)) }
    case .write(let write, let answer):
      let receipt = try ingestion.perform(write, &turn)
      turn.effects.answers.append { answer(.success(receipt)) }
    case .deadLetterWrite(let write, let answer):
      let receipt = try deliveryRequests.perform(write, &turn)
      turn.effects.answers.append { answer(.success(receipt)) }
    case .pauseSink(let name, let isPaused, let answer):
      let sinkExists = try outbox.setPaused(isPaused, sink: name, &turn)
      turn.effects.answers.append { answer(.success(sinkExists)) }
    case .drain(let node, let isDraining, let answer):
      let decision = try turn.transaction.drain(node, isDraining)
      turn.effects.answers.append { answer(.success(decision)) }
    case .test(let name, let parameters, let observer, let answer):
      let receipt = try deliveryRequests.perform(parameters, of: name, observer, &turn)
      turn.effects.answers.append { answer(.success(receipt)) }
    case .token(let change, let answer):
      try tokens.perform(change, answer, &turn)
    case .inboxWrite(let name, let write, let answer):
      let receipt = try ingestion.perform(write, of: name, &turn)
      turn.effects.answers.append { answer(.success(receipt)) }
    case .sinkAnswered(let lane, let result):
      try deliveryRequests.record(result.map { $0 }, lane: lane, &turn)
    case .sinkAnsweredInPart(let lane, let answers, let number, let freesLane):
      try deliveryRequests.record(
        .success(answers), to: .some(stragglers: number, freesLane: freesLane), lane: lane, &turn)
    case .stragglersAnswered(let lane, let call, let result):
      try deliveryRequests.record(result, to: .stragglers(call), lane: lane, &turn)
    case .analyticsAnswered(let lane, let result):
      try outbox.record(result, ofAnalytics: lane, &turn)
    case .planWith(let planner): try perform(planWith: planner, &turn)
    case .refresh:
      let table = try turn.transaction.tokens()
      let paused = try outbox.pausedSinks(in: turn.transaction)
      turn.effects.answers.append { [tokens] in tokens.replace(by: table) }
      turn.effects.outbox.pausedSinks = paused
    case .forgetTest, .adopt, .acquire, .release, .cleaned, .stop, .abandon: break
    }
  }

  private func perform(planWith planner: Planner, _ turn: inout Turn) throws {
    let isDone = schedule.recipients + turn.effects.newRecipients == 0
    try planning.record(planner, isDone: isDone, now: turn.now, in: turn.transaction)
    if planner.fingerprint != self.planner.fingerprint {
      try planning.recordStart(turn.now, in: turn.transaction)
    }
    turn.effects.answers.append { [self] in plan(with: planner) }
  }

  /// Replans stale recipients. With the last of them, records the planner with which all recipients
  /// are now planned.
  private func replan(_ turn: inout Turn) throws {
    guard !turn.work.staleRows.isEmpty else { return }
    try planning.replan(&turn, rewind: clock.rewind)
    if turn.work.endsReplanning {
      try turn.transaction.save(plan: turn.planner.fingerprint)
      try clock.forgetRewind(in: turn.transaction)
    }
  }
}

extension EngineCore {
  /// Carries out the effects of a committed cycle, except for its reports.
  func conclude(_ effects: TurnEffects, of work: TurnWork, now: Instant) {
    var increments = effects.counters
    increments.count(deliveries: effects.usage.deliveries)
    counters.add(increments)
    published.note(increments, at: now)
    if schedule.stale.isEmpty { clock.endRewind() }
    published.countUsage(effects.usageCounts)
    outbox.conclude(effects.outbox, of: work)
    schedule.apply(effects.schedules, newcomers: effects.newRecipients)
    maintenance.memory.count(recipients: effects.schedules.count, at: now)
    firing.conclude(effects.setAside)
    publish(now: now)
    // An answer may begin another replanning, which counts all recipients again.
    planning.count(effects.planning)
    concludePlanning()
    for answer in effects.answers { answer() }
    wakeWatchers(of: effects)
    // Replanning without recipients ends at once.
    concludePlanning()
  }

  /// Wakes the streams of the recipients that a cycle has changed.
  private func wakeWatchers(of effects: TurnEffects) {
    guard !watchers.isEmpty else { return }
    watchers.wake(effects.schedules.lazy.map { ($0.row, $0.schedule != nil) })
    watchers.wake(withdrawn: effects.withdrawn)
  }

  private func concludePlanning() {
    if schedule.stale.isEmpty { planning.conclude() }
  }

  /// Reports a committed cycle to the journal, and exports its spans.
  func report(_ effects: TurnEffects) {
    if !effects.spans.isEmpty { tracer?.exporter.export(effects.spans) }
    if effects.notes.count > 0 { actions.report(effects.notes) }
    for note in effects.outbox.notes.notes { actions.report(note) }
    if !effects.refusedSubmissions.isEmpty { actions.report(effects.refusedSubmissions) }
  }

  /// Refuses a request because of a store error. Requests without a waiting caller, such as answers
  /// of sinks, are postponed to the next cycle instead.
  func refuse(_ request: Request, _ error: StoreError) {
    refuse(request, ServiceUnavailable(error))
  }

  /// Refuses a request for the given reason. Requests without a waiting caller, such as answers of
  /// sinks, are postponed to the next cycle instead.
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
    case .forgetTest(let notification): outbox.forgetTest(notification)
    case .token(_, let answer): answer(.failure(unavailable))
    case .inboxWrite(_, _, let answer): answer(.failure(unavailable))
    case .stop(let answer): answer(.failure(unavailable))
    case .adopt(_, let answer): answer(.failure(unavailable))
    case .acquire(_, let answer): answer(.failure(unavailable))
    case .release(_, let answer): answer(.failure(unavailable))
    case .cleaned, .abandon: break
    case .refresh:
      // One refresh reads everything, and each heartbeat of a node requests another one.
      if !postponed.contains(where: \.isRefresh) { postponed.append(request) }
    case .sinkAnswered, .sinkAnsweredInPart, .stragglersAnswered, .analyticsAnswered, .planWith:
      postponed.append(request)
    }
  }
}

extension ServiceUnavailable {
  /// Creates the reason why a change was not made.
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

  /// Creates the reason why a query is not answered.
  init(forQuery error: StoreError) {
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
