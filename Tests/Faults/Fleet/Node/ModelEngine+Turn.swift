import CivilTime
import Fleet
import TestSupport

/// The work of one engine cycle.
struct ModelTurn {
  var events: [ModelRequest] = []
  /// Due occurrences by shard.
  var decisions: [(shard: Int, occurrence: Int, recipient: Int)] = []
  /// Notifications to be dispatched.
  var dispatches: [(shard: Int, notification: ModelNotification)] = []
  /// The deliveries whose answers are to be recorded.
  var answers: [ModelDelivery] = []

  var isEmpty: Bool { shards.isEmpty }

  /// The shards that the work concerns.
  var shards: Set<Int> {
    Set(events.map(\.event.shard)).union(decisions.map(\.shard)).union(dispatches.map(\.shard))
      .union(answers.map(\.shard))
  }
}

extension ModelEngine {
  /// Gathers the work for one cycle, up to its limit.
  func gather() -> ModelTurn {
    var turn = ModelTurn(events: Array(requests.prefix(6)), answers: answers)
    let shards = memory.keys.sorted()
    for shard in shards {
      guard let rows = memory[shard] else { continue }
      let due = rows.undecided.filter { $0.value.due <= world.now }.sorted { $0.key < $1.key }
      turn.decisions += due.prefix(6).map { (shard, $0.key, $0.value.recipient) }
    }
    turn.decisions = Array(turn.decisions.prefix(8))
    turn.dispatches = undispatched(shards)
    return turn
  }

  /// Returns notifications without an answer that this node has not dispatched. Some were never
  /// dispatched. Others were dispatched by other nodes, and are repeated with the same id.
  private func undispatched(_ shards: [Int]) -> [(shard: Int, notification: ModelNotification)] {
    let open = shards.flatMap { shard in
      (memory[shard]?.open.values.sorted { $0.id < $1.id } ?? [])
        .filter { $0.holder != incarnation }.map { (shard, $0) }
    }
    return Array(open.prefix(Self.window - inFlight.count))
  }

  /// Begins the transaction of a cycle.
  func begin(_ turn: ModelTurn) {
    guard !turn.isEmpty else { return }
    isBusy = true
    process.pass(.beforeTurn) {
      guard self.mayAct else { return self.endTurn() }
      self.process.judge.checkTurn(of: self.process)
      let needsBlock = self.block.count < turn.decisions.count
      let steps = self.server.steps(
        beginning: turn, as: self.incarnation, needsBlock: needsBlock)
      self.connection.ask(steps) { reply in
        self.process.pass(.insideTurn) {
          if self.isAlive { self.handleBeginning(turn, reply) }
        }
      }
    }
  }

  private func handleBeginning(_ turn: ModelTurn, _ reply: ModelReply) {
    switch reply {
    case .answer(.begun(.done(let known, let block))):
      if let block { self.block = block }
      write(turn, known)
    case .answer(.begun(.notOwn(let shards))): refuse(turn, shards)
    case .refused: endTurn()
    default: fail()
    }
  }

  /// Refuses the requests for shards that have another owner or none.
  private func refuse(_ turn: ModelTurn, _ shards: Set<Int>) {
    // A shard that is in memory was taken over by another node, so the memory is no longer valid.
    guard shards.allSatisfy({ memory[$0] == nil }) else { return fail() }
    for request in requests where shards.contains(request.event.shard) { request.answer(.refused) }
    requests.removeAll { shards.contains($0.event.shard) }
    isBusy = false
    work()
  }

  /// Writes the changes of a cycle.
  ///
  /// - Parameter knownEvents: the ids of the events that are already ingested.
  private func write(_ turn: ModelTurn, _ knownEvents: Set<Int>) {
    var changes: [Int: [ModelChange]] = [:]
    var eventIDs = knownEvents
    for request in turn.events where eventIDs.insert(request.event.id).inserted {
      changes[request.event.shard, default: []].append(.event(request.event))
    }
    for decision in turn.decisions {
      let notification = ModelNotification(
        id: block.removeFirst(), occurrence: decision.occurrence, recipient: decision.recipient)
      changes[decision.shard, default: []].append(.decide(notification))
    }
    for entry in turn.dispatches {
      changes[entry.shard, default: []].append(
        .dispatch(entry.notification.occurrence, to: incarnation))
    }
    for answer in turn.answers {
      changes[answer.shard, default: []].append(.answer(answer.occurrence))
    }
    send(changes, of: turn)
  }

  private func send(_ changes: [Int: [ModelChange]], of turn: ModelTurn) {
    let isLong = world.random.isOne(of: 40)
    let range = isLong ? 100..<Int(Self.turnMax.milliseconds) : 0..<6
    let length = nextLength ?? world.milliseconds(range)
    nextLength = nil
    let steps = server.steps(
      writing: changes, as: incarnation, versions: memory.mapValues(\.version), taking: length)
    connection.ask(steps) { reply in
      self.process.pass(.afterTurn) {
        guard self.isAlive else { return }
        guard case .answer(.written) = reply else { return self.fail() }
        self.conclude(turn, changes)
      }
    }
  }

  /// Updates memory after the commit, answers requests and dispatches deliveries.
  private func conclude(_ turn: ModelTurn, _ changes: [Int: [ModelChange]]) {
    for (shard, changes) in changes { memory[shard]?.apply(changes) }
    requests.removeFirst(turn.events.count)
    for request in turn.events { request.answer(.accepted) }
    let recordedAnswers = Set(turn.answers)
    answers.removeAll { recordedAnswers.contains($0) }
    inFlight.subtract(recordedAnswers)
    for entry in turn.dispatches { dispatch(entry.shard, entry.notification) }
    isBusy = false
    work()
  }

  private func dispatch(_ shard: Int, _ notification: ModelNotification) {
    guard let tenure = tenures[shard] else { return }
    let delivery = ModelDelivery(
      id: notification.id, occurrence: notification.occurrence, tenure: tenure,
      holder: incarnation)
    inFlight.insert(delivery)
    attempt(delivery, after: world.milliseconds(0..<40))
  }

  /// Begins an attempt after a time span, or later when the node is trusted.
  private func attempt(_ delivery: ModelDelivery, after span: TimeSpan) {
    after(span) {
      guard self.mayAct else { return self.attempt(delivery, after: .milliseconds(100)) }
      self.process.judge.check(delivery, by: self.process)
      self.process.sink.take(delivery) { self.after(.zero) { self.addAnswer(delivery) } }
    }
  }
}
