import CivilTime
import Fleet

/// A model of an engine. It has the rows of its shards in memory, runs one transaction at a time,
/// and sends deliveries to a sink.
final class ModelEngine {
  /// The points at which a process may hang.
  enum HangPoint: CaseIterable {
    case beforeTurn
    case insideTurn
    case afterTurn
  }

  /// The limit of deliveries in flight.
  static let window = 4
  /// The maximum length of a cycle, unless a fault makes it longer.
  static let turnMax = TimeSpan.milliseconds(1_500)

  let process: ModelProcess
  let incarnation: Incarnation
  var connection: ModelConnection
  var world: FleetWorld { process.world }
  var server: ModelServer { process.server }

  /// The rows of the shards that are loaded, by shard.
  var memory: [Int: ShardRows] = [:]
  /// The tenures of the loaded shards, by shard.
  private(set) var tenures: [Int: Tenure] = [:]
  /// The tenures of shards that the node is to give away.
  private var tenuresToRelease: Set<Tenure> = []
  /// The tenures of acquired shards that are not yet loaded.
  private var tenuresToLoad: [Tenure] = []
  /// The submitted events that are not yet answered.
  var requests: [ModelRequest] = []
  /// The sink's answers that are not yet recorded.
  var answers: [ModelDelivery] = []
  /// Deliveries in flight, or on the way to the sink.
  var inFlight: Set<ModelDelivery> = []
  /// The reserved ids for the next notifications.
  var block: Range<Int64> = 0..<0
  private var trust: Trust?
  private(set) var isAlive = true
  /// Whether a cycle is running.
  var isBusy = false
  /// Whether the engine ends as soon as no delivery is in flight.
  private var isEnding = false
  /// The length of the next cycle, if a fault sets it.
  var nextLength: TimeSpan?

  init(_ process: ModelProcess, _ connection: ModelConnection, _ incarnation: Incarnation) {
    (self.process, self.connection, self.incarnation) = (process, connection, incarnation)
    poll()
  }

  /// Looks for due occurrences every 100 ms.
  private func poll() {
    after(.milliseconds(100)) {
      self.work()
      self.poll()
    }
  }

  func after(_ span: TimeSpan, _ body: @escaping () -> Void) {
    process.after(span) { if self.isAlive { body() } }
  }

  /// Whether a cycle or an attempt may begin.
  var mayAct: Bool { isAlive && (trust?.holds(at: process.moment) ?? false) }

  // MARK: - The node's commands

  func trust(_ trust: Trust) {
    self.trust = trust
    work()
  }

  func acquire(_ tenures: [Tenure]) {
    tenuresToLoad += tenures
    work()
  }

  func release(_ tenure: Tenure) {
    tenuresToRelease.insert(tenure)
    work()
  }

  func end() {
    isEnding = true
    work()
  }

  /// Stops the engine at once; requests without an answer are refused.
  func discard() {
    isAlive = false
    connection.close()
    for request in requests { request.answer(.refused) }
    requests = []
  }

  /// Replaces a connection that has ended.
  func reconnect() {
    connection = ModelConnection(
      process, server, server.connect(as: incarnation, isMembership: false))
    isBusy = false
  }

  /// Ends the engine, because its memory may be wrong.
  func fail() {
    guard isAlive else { return }
    process.engineFailed()
  }

  // MARK: - Requests and answers

  func submit(_ request: ModelRequest) {
    guard mayAct, !isEnding else { return request.answer(.refused) }
    requests.append(request)
    work()
  }

  func addAnswer(_ delivery: ModelDelivery) {
    answers.append(delivery)
    work()
  }

  // MARK: - Work

  /// Begins the next work, unless a cycle is running.
  func work() {
    guard isAlive, !isBusy, mayAct else { return }
    releaseShards()
    guard isAlive, !isBusy else { return }
    if isEnding {
      guard inFlight.isEmpty else { return recordAnswers() }
      isBusy = true
      return process.engineEnded()
    }
    if !tenuresToLoad.isEmpty { return load() }
    begin(gather())
  }

  /// Ends a cycle that had no effect.
  func endTurn() { isBusy = false }

  private func recordAnswers() {
    var turn = gather()
    (turn.events, turn.decisions, turn.dispatches) = ([], [], [])
    begin(turn)
  }

  private func load() {
    let tenures = tenuresToLoad
    tenuresToLoad = []
    isBusy = true
    connection.ask(server.steps(loading: tenures.map(\.shard))) { reply in
      self.isBusy = false
      guard case .answer(.rows(let rows, let block)) = reply else { return self.fail() }
      self.block = block
      for tenure in tenures {
        self.tenures[tenure.shard] = tenure
        self.memory[tenure.shard] = rows[tenure.shard]
      }
      self.work()
    }
  }

  /// Releases those of the shards to be released in which nothing is due and no delivery is without
  /// an answer.
  private func releaseShards() {
    for tenure in tenuresToRelease.sorted(by: { $0.shard < $1.shard }) {
      guard let rows = memory[tenure.shard], tenures[tenure.shard] == tenure else { continue }
      let isDue = rows.undecided.values.contains { $0.due <= world.now }
      guard !isDue, rows.open.isEmpty else { continue }
      tenuresToRelease.remove(tenure)
      memory[tenure.shard] = nil
      tenures[tenure.shard] = nil
      process.engineReleased(tenure)
    }
  }
}
