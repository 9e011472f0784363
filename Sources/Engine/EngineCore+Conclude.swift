import CivilTime
import Delivery
import Reminders
import Store
import TimerWheel

extension EngineCore {
  /// Carries out what a turn that is on disk came to.
  func conclude(_ turn: Turn) {
    recipients += turn.newRecipients
    counters.add(turn.counters)
    if stale.isEmpty { rewind = nil }
    countUsage(turn)
    for (index, next) in turn.nextRetries.enumerated() { lanes[index].nextRetry = next }
    for (row, outlook, before) in turn.outlooks {
      pending += (outlook?.pending ?? 0) - before
      set(row, due: outlook?.due)
    }
    if let last = turn.lastNotification {
      for index in lanes.indices { lanes[index].lane.offer(turn.offers[index], through: last) }
    }
    publish(now: turn.now)
    for answer in turn.answers { answer() }
    tellWatchers(of: turn)
    concludeZones(turn)
    if turn.notes.count > 0 { actions.report(turn.notes) }
    for note in turn.deliveryNotes.notes { actions.report(note) }
  }

  private func set(_ row: UInt32, due: Instant?) {
    reserve(row)
    if let timer = timers[Int(row)] { _ = wheel.cancel(timer) }
    timers[Int(row)] = due.map { wheel.insert(deadline: $0.milliseconds, payload: row) }
  }

  /// Tells those who asked that the store could not take it.
  func refuse(_ request: Request, _ error: StoreError) {
    refuse(request, ServiceUnavailable(error))
  }

  /// Tells those who asked why they get no answer.
  func refuse(_ request: Request, _ unavailable: ServiceUnavailable) {
    switch request {
    case .submit(let events, let answer):
      counters.unanswered += events.count
      answer(.failure(unavailable))
    case .write(let write, let answer):
      counters.unanswered += write.events.count
      answer(.failure(unavailable))
    case .deadLetterWrite(_, let answer): answer(.failure(unavailable))
    case .test(_, _, _, let answer): answer(.failure(unavailable))
    case .forgetTest(let notification): forgetTest(notification)
    case .token(_, let answer): answer(.failure(unavailable))
    case .inboxWrite(_, _, let answer): answer(.failure(unavailable))
    case .stop(let answer): answer(.failure(unavailable))
    case .adopt(_, let answer): answer(.failure(unavailable))
    case .cleaned: break
    case .sinkAnswered, .planWith: postponed.append(request)
    }
  }
}

extension ServiceUnavailable {
  init(_ error: StoreError) {
    if case .full = error {
      self.init(
        .storageFull, "the service's disk is full; nothing was taken in, try again later")
    } else {
      self.init(.stopping, "the service cannot write and is restarting; try again")
    }
  }
}
