import CivilTime
import Outbox
import Reminders
import Store

extension EngineCore {
  /// How often in one turn a lane looks for something to hand over; then others have theirs.
  private static let looksMax = 4

  /// How many recipients are read together, to be asked about or to be addressed.
  private static let readMax = 256

  /// After how many notifications that were for others a lane's place is written down, so that a
  /// start has no more of them to pass over.
  private static let placeLagMax = 65_536

  /// Whether sinks are given anything.
  private var isHandingOver: Bool { !isDraining && clockLeap == nil }

  /// Gives every lane that is free its next batch.
  func dispatch(now: Instant) throws(StoreError) {
    if isDraining { try noteStop() }
    guard isHandingOver else { return }
    for index in lanes.indices where lanes[index].batch.isEmpty {
      do {
        try dispatch(lane: index, now: now)
      } catch {
        guard case .full = error else { throw error }
        lanes[index].lane.failed(SinkOutage(error.description), now: now)
      }
    }
  }

  private func dispatch(lane index: Int, now: Instant) throws(StoreError) {
    for _ in 0..<Self.looksMax {
      switch lanes[index].lane.next(now: now, nextRetry: lanes[index].nextRetry) {
      case .none: return
      case .read(let place): try supply(lane: index, after: place)
      case .hand(let chunk, let isStale):
        let batch = try prepare(chunk, isStale: isStale, lane: index, now: now)
        guard batch.isEmpty else { return hand(batch, lane: index, now: now) }
      case .retry(let limit):
        let retries = try startRetries(lane: index, limit: limit, now: now)
        guard retries.isEmpty else { return hand([], retries: retries, lane: index, now: now) }
      }
    }
  }

  private func hand(
    _ batch: [Delivery], retries: [Retry] = [], lane index: Int, now: Instant
  ) {
    lanes[index].batch = retries.isEmpty ? batch : retries.map(\.delivery)
    lanes[index].retries = retries
    lanes[index].handedAt = now
    witnessHandover(of: lanes[index].batch, sink: lanes[index].lane.sink, now: now)
    actions.hand(lanes[index].batch, toLane: lanes[index].number)
  }

  private func supply(lane index: Int, after place: Int64) throws(StoreError) {
    let channels = lanes[index].lane.channels
    let (deliveries, through) = try store.commit { transaction in
      try transaction.deliveries(after: place, limit: Self.batch, on: channels)
    }
    lanes[index].lane.supply(deliveries, through: through)
  }

  // MARK: - Before the sink sees it

  /// Asks the gates about what has waited, puts on record what the sink is going to have, and adds
  /// what it needs to know of people; all in one transaction.
  ///
  /// - Returns: what is to be handed over.
  private func prepare(
    _ chunk: [Delivery], isStale: Bool, lane index: Int, now: Instant
  ) throws(StoreError) -> [Delivery] {
    let state = lanes[index]
    let isOnRecord = chunk.last.map { $0.notification <= state.handed } ?? true
    guard isStale || !isOnRecord || state.needsAddressee else { return chunk }
    let (passing, batch, nextRetry) = try store.commit { transaction in
      let passing =
        isStale ? try self.passing(chunk, of: state.lane, now: now, in: transaction) : chunk
      if let last = passing.last?.notification, last > state.handed {
        try transaction.save([LaneProgress(sink: state.lane.sink, handed: last)])
      }
      var batch = passing
      if state.needsAddressee { try address(&batch, in: transaction) }
      return (passing, batch, try transaction.nextRetry(of: state.lane.sink))
    }
    lanes[index].handed = max(state.handed, passing.last?.notification ?? 0)
    lanes[index].nextRetry = nextRetry
    if isStale { lanes[index].lane.keep(passing, of: chunk.count) }
    return batch
  }

  /// Applies the gates again to what has waited (rule V7): what they hold now becomes a retry at
  /// the end of the hold, what has expired is dropped.
  private func passing(
    _ chunk: [Delivery], of lane: Lane, now: Instant, in transaction: any StoreWriter
  ) throws -> [Delivery] {
    let waiting = chunk.map { Retry(sink: lane.sink, delivery: $0, attempts: 0) }
    let passing = try passing(waiting, now: now, in: transaction).map(\.delivery)
    if passing.count < chunk.count {
      let place = lane.place(withoutFirst: chunk.count, but: passing)
      try transaction.save([LaneProgress(sink: lane.sink, place: place)])
    }
    return passing
  }

  /// The retries that are due and that the gates let go, on record as handed over.
  private func startRetries(
    lane index: Int, limit: Int, now: Instant
  ) throws(StoreError) -> [Retry] {
    let state = lanes[index]
    let (retries, nextRetry) = try store.commit { transaction in
      let due = try transaction.dueRetries(
        of: state.lane.sink, now: now, limit: min(limit, Self.batch),
        batchMax: { Suspicion.batchMax(deaths: $0, window: state.lane.window) })
      var retries = try passing(due, now: now, in: transaction)
      var changes = DeliveryChanges()
      for retry in retries { changes.hand(retry.delivery) }
      try transaction.keep(changes)
      if state.needsAddressee {
        var batch = retries.map(\.delivery)
        try address(&batch, in: transaction)
        for position in retries.indices { retries[position].delivery = batch[position] }
      }
      return (retries, try transaction.nextRetry(of: state.lane.sink))
    }
    lanes[index].nextRetry = nextRetry
    lanes[index].lane.handRetries(retries.count, now: now)
    return retries
  }

  /// Adds where and how to reach each person, reading them in the order of their rows.
  private func address(_ batch: inout [Delivery], in transaction: any StoreWriter) throws {
    let planner = planner
    var addressees: [UInt32: Addressee] = [:]
    try forEachRecipient(of: batch, in: transaction) { stored in
      let facts = stored.recipient.facts
      addressees[stored.row] = Addressee(facts, zone: planner.zone(of: facts))
    }
    for index in batch.indices {
      batch[index].addressee = addressees[batch[index].row]
      batch[index].urgency = planner.catalog.urgency(of: batch[index])
    }
  }

  /// Reads the recipients of some deliveries, each once, in the order of their rows.
  func forEachRecipient(
    of batch: [Delivery], in transaction: any StoreWriter, _ body: (StoredRecipient) -> Void
  ) throws {
    var rest = Set(batch.map(\.row)).sorted()[...]
    while !rest.isEmpty {
      for stored in try transaction.recipients(rows: rest.prefix(Self.readMax)) { body(stored) }
      rest = rest.dropFirst(Self.readMax)
    }
  }

  // MARK: - What a turn decides

  /// Sorts what a turn has decided by lanes, and puts on record, in the turn's own transaction,
  /// what of it the sinks are going to have when the turn is done.
  func recordHandovers(_ turn: inout Turn, in transaction: any StoreWriter) throws {
    let nextRetries = try transaction.nextRetries(of: lanes.map(\.lane.sink))
    var progress: [LaneProgress] = []
    for (index, state) in lanes.enumerated() {
      let lane = state.lane
      let own = lane.own(turn.deliveries)
      let nextRetry = nextRetries[lane.sink]
      turn.offers.append(own)
      turn.nextRetries.append(nextRetry)
      if let place = savedPlace(of: index, &turn) {
        progress.append(LaneProgress(sink: lane.sink, place: place))
      }
      guard isHandingOver,
        let handed = lane.prospect(
          answered: turn.answered[index], offered: own, nextRetry: nextRetry, now: turn.now),
        handed > state.handed
      else { continue }
      progress.append(LaneProgress(sink: lane.sink, handed: handed))
      turn.answers.append { [self] in lanes[index].handed = handed }
    }
    try transaction.save(progress)
  }

  /// The place of a lane that has had nothing to do for long, which is to be written down.
  private func savedPlace(of index: Int, _ turn: inout Turn) -> Int64? {
    let (lane, saved) = (lanes[index].lane, lanes[index].saved)
    guard lane.place - saved > Self.placeLagMax, turn.answered[index] == nil else { return nil }
    turn.answers.append { [self] in lanes[index].saved = lane.place }
    return lane.place
  }

  /// Lets the retries' times follow a clock that was set back; gates that held them are asked
  /// again.
  func shiftRetries(_ turn: inout Turn, in transaction: any StoreWriter) throws {
    guard retryShift > .zero else { return }
    try transaction.shiftRetries(by: retryShift)
    try transaction.trustClock(at: turn.now)
    turn.answers.append { [self] in retryShift = .zero }
  }
}

/// A lane and what the engine itself has to remember of it.
struct LaneState {
  /// Which of all lanes since the start it is: each has one sink, and its answers say the number.
  let number: Int
  var lane: Lane
  private let sink: any Sink
  /// The retries that are with the sink, in the order of the batch.
  var retries: [Retry] = []
  /// The batch that is with the sink.
  var batch: [Delivery] = []
  /// Since when.
  var handedAt: Instant
  /// Up to which notification it is on disk that the sink may have everything.
  var handed: Int64
  /// The lane's place as it is on disk.
  var saved: Int64
  /// What the sink has said so far.
  var answers = LaneCounters()
  /// What it said last to something that it did not take.
  var lastFailure: ServiceStatus.Failure?
  /// When the next of the retries is due.
  var nextRetry: Instant?

  init(number: Int, lane: Lane, sink: any Sink, handed: Int64, now: Instant) {
    self.number = number
    self.lane = lane
    self.sink = sink
    self.handed = handed
    handedAt = now
    saved = lane.place
  }

  /// How many of the queue are with the sink.
  var countOfQueueWithSink: Int { retries.isEmpty ? batch.count : 0 }

  /// Whether the sink wants to know where and how to reach people.
  var needsAddressee: Bool { sink.needsAddressee }

  /// Why nothing gets through, and what to do, as long as it is so.
  var failure: String? { sink.whyDisabled.map { "disabled: \($0)" } ?? lane.failure }

  /// What is shown of it.
  var view: LaneView {
    LaneView(
      sink: sink, breaker: lane.breaker, waiting: lane.waiting, inFlight: batch.count,
      place: lane.place, oldest: lane.oldest, nextRetry: nextRetry, lastFailure: lastFailure,
      answers: answers)
  }

  /// When the lane needs a turn. One that is with its sink needs none: the answer brings it.
  func wake(now: Instant) -> Instant? {
    lane.wake(now: now, nextRetry: nextRetry)
  }
}
