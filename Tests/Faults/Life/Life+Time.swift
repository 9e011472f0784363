import CivilTime
import Engine
import FaultyDisk
import Outbox
import Reminders
import Systemd

/// The passing of time while the process sleeps.
extension Life {
  /// The limit of cycles at one instant.
  private static let idleMax = 20_000

  /// Lets the process sleep until `wake`, unless something else happens first.
  func pass(until wake: Instant?, isUrgent: Bool) -> WakeUp {
    guard !disk.isHalted else { return awaken() }
    judgeWatchdog()
    judgeWork()
    idleTurns += 1
    guard idleTurns < Self.idleMax else { return giveUp("the service does not come to rest") }
    if !findings.isEmpty { return giveUp(nil) }
    if let fullSince, disk.faults > fullSince { return makeRoom() }
    if answerBatches() || report() || requestPause() { return WakeUp() }
    if let end = excursionEnd {
      return isRestartedInDoubt ? restartInDoubt(until: end) : endExcursion(at: end)
    }
    guard !isUrgent else { return WakeUp() }
    return passTime(until: wake)
  }

  private func passTime(until wake: Instant?) -> WakeUp {
    let wake = wake.map { $0 - clocks.wallOffset }
    self.wake = wake
    if let trustedLeapEnd, trustedLeapEnd <= clocks.now { return endTrustedLeap() }
    let nextAction = remainingActions.first
    let next =
      [wake, nextAction?.at, trustedLeapEnd, nextAction == nil ? end : nil].compactMap { $0 }.min()
      ?? end
    if next > clocks.now {
      idleTurns = 0
      clocks.advance(to: min(next, max(end, clocks.now)))
    }
    if let nextAction, nextAction.at <= clocks.now {
      remainingActions.removeFirst()
      return perform(nextAction.act)
    }
    if nextAction == nil, clocks.now >= end, wake.map({ $0 > end }) ?? true { stop() }
    return WakeUp()
  }

  /// Checks that a sleeping process does not look stalled to the watchdog (rule S2).
  private func judgeWatchdog() {
    guard let process else { return }
    let stale = process.heartbeats.stale(at: clocks.monotonicNow)
    if !stale.isEmpty { find("asleep although parts look stalled to the watchdog: \(stale)") }
  }

  /// Checks that the work of a cycle is linear in its recipients' pending occurrences (rule H6).
  private func judgeWork() {
    if let excess = work.endTurn(people: diary.names.count) { find(excess) }
  }

  /// Makes a process write, so that it notices that its disk is gone.
  func awaken() -> WakeUp {
    tally.events += 1
    let event = Event(
      identifier: "last word \(tally.events)", source: "app", type: "relapse", recipient: "nobody",
      time: clocks.now, isTimeGiven: true, content: .happening(number: nil))
    post("a last word") {
      .submit([event], $0)
    } then: { _ in
    }
    return WakeUp()
  }

  /// Ends the run early, after a finding.
  func giveUp(_ what: String?) -> WakeUp {
    if let what { find(what) }
    disk.halt(at: 1)
    return awaken()
  }

  /// Stops the service, after which its files are checked.
  private func stop() {
    endFaults()
    isOver = true
    post("stop") {
      .stop($0)
    } then: { _ in
    }
  }

  // MARK: - Requests and queries

  /// Posts a request and counts its answer.
  func post<Value>(
    _ what: String, _ request: (@escaping Answer<Value>) -> Request,
    then: @escaping (Result<Value, ServiceUnavailable>) -> Void
  ) {
    let number = calls.begin(what)
    let receiver = AnswerReceiver(life: self, number: number, what: what, then: then)
    process?.requestQueue.post(request { receiver.take($0) })
  }

  /// Runs a query, which is answered outside the engine's loop.
  func ask<Query: EngineQuery>(_ what: String, _ query: Query) {
    let number = calls.begin(what)
    work.tasks += 1
    let receiver = AnswerReceiver<Query.Value>(
      life: self, number: number, what: what, then: { _ in })
    guard let questions = process?.loop.questions else { return }
    receiver.take(
      Result { () throws(ServiceUnavailable) in try questions.answer(query, now: clocks.wall) })
  }

  /// Receives an answer. Answers of a dead process are ignored.
  private struct AnswerReceiver<Value>: @unchecked Sendable {
    unowned let life: Life
    let number: Int
    let what: String
    let then: (Result<Value, ServiceUnavailable>) -> Void

    func take(_ result: Result<Value, ServiceUnavailable>) {
      guard !life.disk.isHalted else { return }
      life.calls.end(number, what)
      then(result)
    }
  }

  // MARK: - The sink

  /// Receives a batch that the engine dispatches to the sink.
  func take(_ deliveries: [Reminders.Delivery], lane: Int) {
    judgePause(deliveries)
    outside.keep(Outside.Batch(lane: lane, deliveries: deliveries))
    tally.deliveries += deliveries.count
    if answeredSink == nil, trouble == nil || trouble == .wrongCount { receive(deliveries) }
  }

  /// Records deliveries as received, and checks each.
  func receive(_ deliveries: [Reminders.Delivery]) {
    for delivery in deliveries {
      // A delivery decided by a wrong clock may arrive when the clock is right again.
      let now = excursions.isEmpty ? clocks.now : clocks.latestWall
      if let flaw = outside.receive(delivery, at: now) { find(flaw) }
      if let flaw = quiet.flaw(of: delivery, dispatchedAt: clocks.now) { find(flaw) }
    }
  }

  /// Answers the batches and stragglers that the sink has, unless it is silent.
  ///
  /// - Returns: whether there was anything to answer.
  private func answerBatches() -> Bool {
    guard trouble != .silence else { return false }
    let rests = answerRests()
    let batches = outside.takeBatches()
    for batch in batches {
      guard answeredSink == nil else {
        process?.requestQueue.post(.sinkAnswered(lane: batch.lane, deliverByClient(batch)))
        continue
      }
      guard !shouldHaveStragglers(batch) else {
        answerInPart(to: batch)
        continue
      }
      // A sink that was silent when the batch was dispatched receives it only now.
      if trouble == nil || trouble == .stragglers { receive(batch.deliveries) }
      process?.requestQueue.post(.sinkAnswered(lane: batch.lane, answer(to: batch)))
    }
    return rests || !batches.isEmpty
  }

  private func answer(to batch: Outside.Batch) -> Result<[SinkAnswer], SinkOutage> {
    switch trouble {
    case nil, .silence, .answers, .stragglers: .success(batch.deliveries.map { _ in .delivered })
    case .outage: .failure(SinkOutage("gone"))
    case .retry: .success(batch.deliveries.map { _ in .retry(after: nil, reason: "later") })
    case .rejection: .success(batch.deliveries.map { _ in .rejected(reason: "never") })
    case .wrongCount: .success([])
    }
  }
}
