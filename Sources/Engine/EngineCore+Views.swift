import CivilTime
import Delivery
import Reminders
import Store
import TimerWheel

extension EngineCore {
  /// Answers what changes nothing; true if the request was of that kind.
  func answerAtOnce(_ request: Request, now: Instant) -> Bool {
    do {
      return try answer(request, now: now)
    } catch {
      refuse(request, error)
      return true
    }
  }

  private func answer(_ request: Request, now: Instant) throws(StoreError) -> Bool {
    switch request {
    case .agenda(let name, let answer): answer(.success(try agenda(of: name, now: now)))
    case .recipient(let name, let answer):
      let stored = try store.transaction { try $0.recipient(named: name) }
      answer(.success(stored?.recipient))
    case .history(let name, let notification, let answer):
      answer(.success(try history(of: name, notification)))
    case .analytics(let query, let answer): answer(.success(try analytics(query)))
    case .usage(let first, let last, let answer):
      answer(.success(try store.transaction { try $0.usage(from: first, through: last) }))
    case .export(let name, let place, let answer):
      answer(.success(try export(name, place)))
    case .inbox(let name, let offset, let limit, let answer):
      answer(.success(try inbox(of: name, offset: offset, limit: limit)))
    case .told(let name, let question, let answer):
      answer(.success(try told(of: name, question, now: now)))
    case .watch(let name, let start, let signal, let answer):
      answer(.success(try watch(name, from: start, telling: signal)))
    case .page(let watch, let backlog, let channels, let answer):
      answer(.success(try page(of: watch.recipient, backlog, on: channels)))
    case .deadLetters(let question, let answer): answer(.success(try deadLetters(question)))
    case .forgetTest(let notification): forgetTest(notification)
    case .status(let answer): answer(readStatus(now: now))
    case .metrics(let answer): answer(.success(try metrics(now: now)))
    case .stop(let answer): answer(.success(()))
    case .submit, .write, .inboxWrite, .deadLetterWrite, .test, .token, .sinkAnswered, .planWith,
      .adopt:
      return false
    }
    return true
  }

  private func agenda(of name: String, now: Instant) throws(StoreError) -> Agenda? {
    let stored = try store.transaction { try $0.recipient(named: name) }
    guard let recipient = stored?.recipient else { return nil }
    let situation = Situation(facts: recipient.facts, planner: planner)
    let entries = recipient.pending(now: now, planner: planner).compactMap { pending in
      entry(pending, in: situation)
    }
    return Agenda(
      recipient: name, zone: situation.zone, isDefaultZone: recipient.facts.zoneName == nil,
      now: now, entries: entries)
  }

  private func entry(_ pending: Pending, in situation: Situation) -> Agenda.Entry? {
    guard let caption = situation.caption(of: pending) else { return nil }
    let name = situation.catalog.reminder(pending.reminder).map(situation.catalog.name)
    return Agenda.Entry(
      identifier: "\(name ?? caption.reminder)~\(pending.key)", reminder: caption.reminder,
      category: caption.category,
      channels: pending.channels.channels, title: caption.title, body: caption.body,
      planned: pending.planned, at: pending.decision.at, outcome: pending.decision.outcome,
      reasons: pending.decision.trace.reasons)
  }

  /// Whoever asks for the status is told what keeps it from being read.
  private func readStatus(now: Instant) -> Result<ServiceStatus, ServiceUnavailable> {
    do {
      return .success(try status(now: now))
    } catch {
      return .failure(ServiceUnavailable(.stopping, "the store cannot be read: \(error)"))
    }
  }

  /// - Throws: what the store says: a count that cannot be read is none, and not zero.
  func status(now: Instant) throws(StoreError) -> ServiceStatus {
    try store.transaction { try status(now: now, in: $0) }
  }

  /// Dead letters of sinks that are gone count too.
  private func status(
    now: Instant, in transaction: StoreTransaction
  ) throws -> ServiceStatus {
    ServiceStatus(
      now: now, started: started, recipients: recipients, pending: pending,
      next: try next(now: now, in: transaction),
      lanes: try lanes.map { try status($0, now: now, in: transaction) },
      catalogs: planner.catalog.names, zoneDatabase: planner.zones.version,
      defaultZone: planner.defaultZone.name, due: due.count, replanning: stale.count,
      deadLetters: try transaction.deadLetterCount(), storageFailure: storageFailure,
      loss: store.loss, erasureOpen: store.erasureOpen, clockHold: clockHold,
      clockLeap: clockLeap, counters: counters)
  }

  private func status(
    _ state: LaneState, now: Instant, in transaction: StoreTransaction
  ) throws -> ServiceStatus.Lane {
    let lane = state.lane
    return ServiceStatus.Lane(
      sink: lane.sink, waiting: lane.waiting,
      retrying: try transaction.retryCount(of: lane.sink), failure: state.failure,
      inFlight: state.batch.count,
      deadLetters: try transaction.deadLetterCount(of: lane.sink),
      oldestWaiting: try oldestWaiting(of: lane, in: transaction),
      oldestRetry: try transaction.oldestRetry(of: lane.sink), nextRetry: state.nextRetry,
      breaker: lane.breakerState(at: now), failingSince: lane.failingSince,
      nextAttempt: lane.resumption, lastFailure: state.lastFailure, answers: state.answers)
  }

  /// When the oldest delivery that waits for a lane's sink was decided.
  func oldestWaiting(of lane: Lane, in transaction: StoreTransaction) throws -> Instant? {
    guard lane.waiting > 0 else { return nil }
    return try lane.oldest ?? transaction.oldestDelivery(after: lane.place)
  }

  /// What is due next and for how many; of them one is looked at for the reminder's name.
  private func next(
    now: Instant, in transaction: StoreTransaction
  ) throws -> ServiceStatus.Next? {
    guard let soonest = wheel.soonest(),
      let recipient = try transaction.recipient(row: soonest.payload)?.recipient
    else { return nil }
    let first = recipient.pending(now: now, planner: planner).first
    let reminder = first.flatMap { planner.catalog.reminder($0.reminder) }
    return ServiceStatus.Next(
      reminder: reminder?.identifier ?? "", recipients: soonest.count,
      at: Instant(milliseconds: soonest.deadline))
  }
}
