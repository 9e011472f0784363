import CivilTime
import Outbox
import Reminders
import Store

/// What sinks say, and who comes next when one has given up (rule D2).
extension EngineCore {
  /// Records what a sink said to its batch.
  func record(
    _ result: Result<[SinkAnswer], SinkOutage>, lane number: Int, _ turn: inout Turn,
    in transaction: any StoreWriter
  ) throws {
    guard let index = lanes.firstIndex(where: { $0.number == number }) else {
      return try recordLast(result, lane: number, &turn, in: transaction)
    }
    let state = lanes[index]
    switch checked(result, against: state.batch) {
    case .failure(let outage): try record(outage, lane: index, &turn, in: transaction)
    case .success(let answers):
      try record(answers, state, &turn, in: transaction)
      try observer(answers, state, &turn, in: transaction)
      try finish(index, &turn, in: transaction)
      if state.lane.outages > 0 { turn.deliveryNotes.add(.recovered(sink: state.lane.sink)) }
      let counted = LaneCounters(answers)
      let failure = answers.firstFailure.map { ServiceStatus.Failure(at: turn.now, reason: $0) }
      turn.answers.append { [self] in
        lanes[index].answers.add(counted)
        lanes[index].lastFailure = failure ?? lanes[index].lastFailure
      }
    }
  }

  /// A sink that does not answer for each delivery may have lost some: it is asked again.
  func checked(
    _ result: Result<[SinkAnswer], SinkOutage>, against batch: [Delivery]
  ) -> Result<[SinkAnswer], SinkOutage> {
    guard case .success(let answers) = result, answers.count != batch.count else { return result }
    return .failure(SinkOutage("it answered \(answers.count) of \(batch.count) deliveries"))
  }

  /// The sink has none of it, and says so: nothing is open that a crash would leave behind.
  private func record(
    _ outage: SinkOutage, lane index: Int, _ turn: inout Turn, in transaction: any StoreWriter
  ) throws {
    let (state, now) = (lanes[index], turn.now)
    try takeBack(state.retries, in: transaction)
    let isQueue = state.retries.isEmpty
    if isQueue {
      try transaction.save([LaneProgress(sink: state.lane.sink, handed: state.lane.place)])
    }
    let handedOn = try handOnLate(state, outage, &turn, in: transaction)
    turn.answers.append { [self] in
      if isQueue { lanes[index].handed = state.lane.place }
      lanes[index].batch = []
      lanes[index].retries = []
      lanes[index].lane.failed(outage, now: now)
      if handedOn > 0 {
        lanes[index].lane.letGo(count: handedOn)
        lanes[index].saved = lanes[index].lane.place
      }
      lanes[index].answers.outages += 1
      lanes[index].lastFailure = .init(at: now, reason: outage.description)
    }
  }

  /// What a sink was handed as retries and does not have waits again: for it, or for the first of
  /// the channel if it does not carry that any more.
  func takeBack(_ retries: [Retry], in transaction: any StoreWriter) throws {
    var changes = DeliveryChanges()
    for retry in retries { changes.takeBack(retry.delivery) }
    try transaction.keep(changes)
    let isAstray = retries.contains { !routes.carries($0.delivery.channel, by: $0.sink) }
    if isAstray { try moveStrays(by: routes, in: transaction) }
  }

  private func finish(
    _ index: Int, _ turn: inout Turn, in transaction: any StoreWriter
  ) throws {
    let isQueue = lanes[index].retries.isEmpty
    let count = lanes[index].batch.count
    turn.answered[index] = isQueue ? count : 0
    if isQueue {
      let lane = lanes[index].lane
      let place = lane.place(withoutFirst: count)
      try transaction.save([LaneProgress(sink: lane.sink, place: place)])
      turn.answers.append { [self] in lanes[index].saved = place }
    }
    turn.answers.append { [self] in
      if isQueue {
        lanes[index].lane.answered(count: count)
      } else {
        lanes[index].lane.retriesAnswered()
      }
      lanes[index].batch = []
      lanes[index].retries = []
    }
  }

  // MARK: - Delivery by delivery

  func record(
    _ answers: [SinkAnswer], _ state: LaneState, _ turn: inout Turn,
    in transaction: any StoreWriter
  ) throws {
    let isQueue = state.retries.isEmpty
    for (delivery, answer) in zip(state.batch, answers) where answer.isDelivered {
      turn.usage.add(.delivered, delivery, at: turn.now)
    }
    let open = answers.indices.filter { !isQueue || !answers[$0].isPlain }
    guard !open.isEmpty else { return }
    let numbers = open.map { state.batch[$0].notification }
    // Of who was erased meanwhile, not even what a sink says of them is kept (rule H4).
    let recorded = try transaction.recorded(among: numbers)
    var handling = Handling(candidates: numbers)
    for position in open where recorded.contains(state.batch[position].notification) {
      let (delivery, answer) = (state.batch[position], answers[position])
      handling.keep(
        Attempt(of: delivery, by: state.lane.sink, at: turn.now, answer), isFirst: isQueue)
      if !answer.goneDevices.isEmpty {
        try remove(answer.goneDevices, of: delivery, asOf: state.handedAt, &turn, in: transaction)
      }
      let before = isQueue ? 0 : state.retries[position].attempts
      let retry = Retry(sink: state.lane.sink, delivery: delivery, attempts: before + 1)
      try settle(retry, answer.verdict, &handling, &turn, in: transaction)
    }
    try transaction.keep(handling.changes)
  }

  func observer(
    _ answers: [SinkAnswer], _ state: LaneState, _ turn: inout Turn,
    in transaction: any StoreWriter
  ) throws {
    guard !witnesses.isEmpty else { return }
    let attempts = zip(state.batch, answers).map {
      Attempt(of: $0, by: state.lane.sink, at: turn.now, $1)
    }
    try observer(attempts, &turn, in: transaction)
  }

  private func settle(
    _ retry: Retry, _ verdict: SinkAnswer.Verdict, _ handling: inout Handling,
    _ turn: inout Turn, in transaction: any StoreWriter
  ) throws {
    switch verdict {
    case .delivered: handling.changes.end(retry.delivery)
    case .rejected(let reason): try handOn(retry, reason, &handling, &turn, in: transaction)
    case .retry(_, let reason) where !routes.carries(retry.delivery.channel, by: retry.sink):
      try handOn(retry, reason, &handling, &turn, in: transaction)
    case .retry(let wished, let reason):
      let due = RetrySchedule.next(
        after: retry.attempts, wished: wished, notification: retry.delivery.notification,
        now: turn.now)
      guard let due else { return try handOn(retry, reason, &handling, &turn, in: transaction) }
      // Another sink may be in time where this one would be too late.
      if due > retry.delivery.expiry, try moveOn(retry, reason, &handling, &turn, in: transaction) {
        return
      }
      handling.changes.wait(retry, due: due, reason: reason)
      turn.deliveryNotes.add(.retried(retry, until: due, reason: reason))
    }
  }

  /// A sink has given a delivery up: the next one has it, or nobody.
  private func handOn(
    _ retry: Retry, _ reason: String, _ handling: inout Handling, _ turn: inout Turn,
    in transaction: any StoreWriter
  ) throws {
    guard try !moveOn(retry, reason, &handling, &turn, in: transaction) else { return }
    turn.usage.add(.failed, retry.delivery, at: turn.now)
    handling.changes.wait(retry, due: nil, reason: reason)
    turn.deliveryNotes.add(.dead(retry, reason: reason))
  }

  /// Gives a delivery to the next sink of its route, or else to the next channel.
  ///
  /// - Returns: whether there is one.
  func moveOn(
    _ retry: Retry, _ reason: String, _ handling: inout Handling, _ turn: inout Turn,
    in transaction: any StoreWriter
  ) throws -> Bool {
    let delivery = retry.delivery
    var next = Retry(sink: "", delivery: delivery, attempts: 0)
    if let sink = routes.next(after: retry.sink, on: delivery.channel) {
      next.sink = sink
    } else if let channel = try fallback(of: delivery, &handling, &turn, in: transaction),
      let sink = routes.first(of: channel)
    {
      handling.changes.end(delivery)
      handling.addFallback(channel, to: delivery.notification)
      next.delivery.channel = channel
      turn.usage.add(.failed, delivery, at: turn.now)
      turn.usage.add(.sent, next.delivery, at: turn.now)
      next.sink = sink
    } else {
      return false
    }
    handling.changes.wait(
      next, due: turn.now, reason: "\(retry.sink), by \(delivery.channel.name): \(reason)")
    turn.deliveryNotes.add(.retried(retry, until: turn.now, reason: reason))
    return true
  }

  private func fallback(
    of delivery: Delivery, _ handling: inout Handling, _ turn: inout Turn,
    in transaction: any StoreWriter
  ) throws -> Channel? {
    guard let known = try person(named: delivery.recipient, &turn, in: transaction)
    else { return nil }
    let context = PlanningContext(facts: known.stored.recipient.facts, planner: turn.planner)
    return context.fallback(
      of: delivery, but: try handling.channels(of: delivery.notification, in: transaction))
  }

  // MARK: - Devices

  /// Takes out devices that a push service does not know any more, by events of the service's own,
  /// so that facts stay what events tell; the person is planned anew with that.
  ///
  /// - Parameter asOf: when the sink was handed the delivery: a device that has registered again
  ///   since is another matter.
  private func remove(
    _ devices: [String], of delivery: Delivery, asOf time: Instant, _ turn: inout Turn,
    in transaction: any StoreWriter
  ) throws {
    guard let known = try person(named: delivery.recipient, &turn, in: transaction)
    else { return }
    let registered = known.stored.recipient.facts.devices.filter { $0.token != nil }
    for device in devices where registered.contains(where: { $0.identifier == device }) {
      let event = Event(
        removing: device, of: delivery.recipient, at: time,
        identifier: "\(delivery.identifier)-\(device)")
      _ = try takeIn(event, &turn, in: transaction)
    }
    foldArrivals(&turn)
  }
}

extension SinkAnswer {
  /// Whether there is nothing to it but that it was delivered.
  fileprivate var isPlain: Bool { isDelivered && response == nil && goneDevices.isEmpty }
}

extension [SinkAnswer] {
  /// Why the first was not taken that was not.
  fileprivate var firstFailure: String? {
    lazy.compactMap { answer in
      switch answer.verdict {
      case .delivered: nil
      case .retry(_, let reason), .rejected(let reason): reason
      }
    }.first
  }
}

extension Attempt {
  fileprivate init(
    of delivery: Delivery, by sink: String, at now: Instant, _ answer: SinkAnswer
  ) {
    let (verdict, reason): (Verdict, String) =
      switch answer.verdict {
      case .delivered: (.delivered, "")
      case .retry(_, let reason): (.retry, reason)
      case .rejected(let reason): (.rejected, reason)
      }
    self.init(
      of: delivery, by: sink, at: now, verdict, reason: reason,
      status: answer.response?.status, excerpt: answer.response?.excerpt ?? "",
      duration: answer.response?.duration)
  }
}

extension LaneCounters {
  init(_ answers: [SinkAnswer]) {
    self.init()
    for answer in answers {
      switch answer.verdict {
      case .delivered: delivered += 1
      case .retry: retried += 1
      case .rejected: rejected += 1
      }
    }
  }
}
