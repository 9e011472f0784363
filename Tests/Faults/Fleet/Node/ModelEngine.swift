import CivilTime
import Fleet

/// What an engine is to a fleet: memory of its shards, one transaction at a time, and a sink.
final class ModelEngine {
  /// Where a process may stand still.
  enum Place: CaseIterable {
    case beforeTurn
    case insideTurn
    case afterTurn
  }

  /// How many deliveries may be with a sink at once.
  static let window = 4
  /// How long a turn takes at most, unless somebody has made it a long one.
  static let turnMax = TimeSpan.milliseconds(1_500)

  let process: ModelProcess
  let incarnation: Incarnation
  var connection: ModelConnection
  var world: FleetWorld { process.world }
  var server: ModelServer { process.server }

  var memory: [Int: ShardRows] = [:]
  private(set) var tenures: [Int: Tenure] = [:]
  private var leaving: Set<Tenure> = []
  private var toLoad: [Tenure] = []
  var requests: [ModelRequest] = []
  /// What the sink has said that it has, and is not recorded yet.
  var answers: [ModelDelivery] = []
  /// What is with the sink, or on its way there.
  var inFlight: Set<ModelDelivery> = []
  var block: Range<Int64> = 0..<0
  private var trust: Trust?
  private(set) var isAlive = true
  var isBusy = false
  private var isEnding = false
  /// How long the next turn takes, of which somebody has made a long one.
  var nextLength: TimeSpan?

  init(_ process: ModelProcess, _ connection: ModelConnection, _ incarnation: Incarnation) {
    (self.process, self.connection, self.incarnation) = (process, connection, incarnation)
    poll()
  }

  /// Something falls due now and then.
  private func poll() {
    after(.milliseconds(100)) {
      self.work()
      self.poll()
    }
  }

  func after(_ span: TimeSpan, _ body: @escaping () -> Void) {
    process.after(span) { if self.isAlive { body() } }
  }

  /// Whether a turn or an attempt may begin.
  var mayAct: Bool { isAlive && (trust?.holds(at: process.moment) ?? false) }

  // MARK: - What the node says

  func trust(_ trust: Trust) {
    self.trust = trust
    work()
  }

  func acquire(_ tenures: [Tenure]) {
    toLoad += tenures
    work()
  }

  func release(_ tenure: Tenure) {
    leaving.insert(tenure)
    work()
  }

  func end() {
    isEnding = true
    work()
  }

  func discard() {
    isAlive = false
    connection.close()
    for request in requests { request.answer(.refused) }
    requests = []
  }

  /// Its connection has ended, and it begins another.
  func reconnect() {
    connection = ModelConnection(
      process, server, server.connect(as: incarnation, isMembership: false))
    isBusy = false
  }

  func fail() {
    guard isAlive else { return }
    process.engineFailed()
  }

  // MARK: - What comes in

  func submit(_ request: ModelRequest) {
    guard mayAct, !isEnding else { return request.answer(.refused) }
    requests.append(request)
    work()
  }

  func answered(_ delivery: ModelDelivery) {
    answers.append(delivery)
    work()
  }

  // MARK: - What it does

  func work() {
    guard isAlive, !isBusy, mayAct else { return }
    letGo()
    guard isAlive, !isBusy else { return }
    if isEnding {
      guard inFlight.isEmpty else { return recordAnswers() }
      isBusy = true
      return process.engineEnded()
    }
    if !toLoad.isEmpty { return load() }
    begin(gather())
  }

  /// The turn has come to nothing.
  func rest() { isBusy = false }

  private func recordAnswers() {
    var turn = gather()
    (turn.events, turn.decisions, turn.hands) = ([], [], [])
    begin(turn)
  }

  private func load() {
    let tenures = toLoad
    toLoad = []
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

  /// A shard that is to go, goes when nothing of it is due or with the sink.
  private func letGo() {
    for tenure in leaving.sorted(by: { $0.shard < $1.shard }) {
      guard let rows = memory[tenure.shard], tenures[tenure.shard] == tenure else { continue }
      let isDue = rows.waiting.values.contains { $0.due <= world.now }
      guard !isDue, rows.open.isEmpty else { continue }
      leaving.remove(tenure)
      memory[tenure.shard] = nil
      tenures[tenure.shard] = nil
      process.engineReleased(tenure)
    }
  }
}
