import CivilTime
import Fleet

/// A model of a process: the shell around the node's decisions, and an engine. The process may hang
/// or die at any time, and is restarted.
final class ModelProcess {
  let world: FleetWorld
  let server: ModelServer
  let judge: FleetJudge
  let network: ModelNetwork
  let sink: ModelSink
  let name: String
  let number: Int
  /// The node's decisions.
  private(set) var fleet: FleetNode
  var clock: ModelClock
  private(set) var engine: ModelEngine?
  private var connection: ModelConnection?
  private(set) var isAlive = false
  /// Counts starts. Actions of an earlier start are skipped.
  private var starts = 0
  /// The time at which the process resumes; nil if it is not paused.
  private var pausedUntil: TimeSpan?
  /// The actions to run when the process resumes.
  private var mailbox: [() -> Void] = []
  /// The next point at which the engine hangs, and the length of the hang.
  var pausePoint: (step: ModelEngine.HangPoint, length: TimeSpan)?
  var truth = ProcessTruth()
  /// When the node's next tick is scheduled, since boot; nil if none is.
  private var scheduledWake: TimeSpan?

  init(
    _ number: Int, name: String, _ world: FleetWorld, _ server: ModelServer, _ judge: FleetJudge,
    _ sink: ModelSink
  ) {
    (self.number, self.name, self.world, self.server) = (number, name, world, server)
    (self.judge, self.sink) = (judge, sink)
    network = ModelNetwork(world)
    clock = ModelClock(boot: .hours(number + 1))
    fleet = FleetNode(name: name, world.times)
  }

  /// The current time by the machine's clocks.
  var moment: Moment { clock.moment(at: world.now) }

  // MARK: - Start and end

  func start() {
    guard !isAlive else { return }
    isAlive = true
    starts += 1
    fleet = FleetNode(name: name, world.times)
    truth = ProcessTruth()
    scheduledWake = nil
    perform(fleet.begin())
  }

  /// - Parameter delay: the time until the restart.
  func kill(startingAgainAfter delay: TimeSpan) {
    guard isAlive else { return }
    end()
    world.after(delay) { self.start() }
  }

  private func end() {
    isAlive = false
    (pausedUntil, mailbox, pausePoint) = (nil, [], nil)
    discard()
    truth.recordTrouble(at: world.now)
  }

  func pause(for span: TimeSpan) {
    guard isAlive else { return }
    let end = world.now + span
    guard end > pausedUntil ?? .zero else { return }
    pausedUntil = end
    world.after(span) { self.resume() }
  }

  private func resume() {
    guard isAlive, let until = pausedUntil, world.now >= until else { return }
    pausedUntil = nil
    truth.recordTrouble(at: world.now)
    let waiting = mailbox
    mailbox = []
    for body in waiting { enter(body) }
  }

  var isPaused: Bool { pausedUntil != nil }

  /// Runs an action at once, or when the process resumes if it is paused.
  func enter(_ body: @escaping () -> Void) {
    let start = starts
    guard isAlive else { return }
    guard !isPaused else {
      return mailbox.append { if start == self.starts { body() } }
    }
    body()
  }

  /// Runs an action after a span, unless the process has been started again by then.
  func after(_ span: TimeSpan, _ body: @escaping () -> Void) {
    let start = starts
    world.after(span) {
      guard start == self.starts else { return }
      self.enter(body)
    }
  }

  /// Runs `body` at once. If the process is to hang at this point, runs `body` when it resumes.
  func pass(_ step: ModelEngine.HangPoint, _ body: @escaping () -> Void) {
    if let point = pausePoint, point.step == step {
      pausePoint = nil
      pause(for: point.length)
    }
    enter(body)
  }

  // MARK: - The node's decisions

  func stop() { enter { self.perform(self.fleet.stop()) } }

  func hint() { enter { self.perform(self.fleet.hint(at: self.moment)) } }

  func engineFailed() { perform(fleet.engineFailed()) }

  func engineEnded() { perform(fleet.engineEnded(at: moment)) }

  func engineReleased(_ tenure: Tenure) { perform(fleet.engineReleased(tenure, at: moment)) }

  private func perform(_ actions: [FleetAction]) {
    for action in actions where isAlive { carryOut(action) }
    scheduleWake()
  }

  private func carryOut(_ action: FleetAction) {
    switch action {
    case .connect(let span): after(span) { self.connect() }
    case .send(let statement): send(statement)
    case .serve(let incarnation):
      let session = server.connect(as: incarnation, isMembership: false)
      engine = ModelEngine(self, ModelConnection(self, server, session), incarnation)
    case .trust(let trust): engine?.trust(trust)
    case .acquire(let tenures): engine?.acquire(tenures)
    case .release(let tenure): engine?.release(tenure)
    case .discard: discard()
    case .end: engine?.end()
    case .finish: kill(startingAgainAfter: world.milliseconds(500..<3_000))
    case .note: break
    }
  }

  private func discard() {
    engine?.discard()
    engine = nil
    connection?.close()
    connection = nil
  }

  private func scheduleWake() {
    let wake = isAlive ? fleet.wake : nil
    guard scheduledWake != wake else { return }
    scheduledWake = wake
    guard let wake else { return }
    after(wake - moment.sinceBoot) {
      guard self.scheduledWake == wake else { return }
      self.scheduledWake = nil
      self.perform(self.fleet.tick(at: self.moment))
    }
  }

  // MARK: - The membership's connection

  private func connect() {
    guard !server.isDown, !network.isSplit else {
      return after(network.isSplit ? world.times.receiptMax : .milliseconds(5)) {
        self.perform(self.fleet.unreachable())
      }
    }
    let incarnation = Incarnation(Int64.random(in: 1 ... .max, using: &world.random))
    let session = server.connect(as: incarnation, isMembership: true)
    connection = ModelConnection(self, server, session, timeout: world.times.answerMax)
    perform(fleet.connected(as: incarnation))
  }

  private func send(_ statement: FleetStatement) {
    let (start, sent) = (moment, world.now)
    connection?.ask(server.steps(for: statement)) { reply in
      switch reply {
      case .answer(.fleet(let answer)):
        self.truth.recordAnswer(answer, sent: sent, now: self.world.now, self.world.times)
        self.perform(self.fleet.answered(answer, from: start, to: self.moment))
      case .answer, .lost: self.perform(self.fleet.lost())
      case .silent: self.perform(self.fleet.lost(.serverSilent))
      case .refused: self.perform(self.fleet.refused(at: self.moment))
      }
    }
  }

  // MARK: - For the judge

  /// Whether nothing prevents heartbeats.
  var isWell: Bool { isAlive && !isPaused && !network.isSplit && !network.isSlow }

  var incarnation: Incarnation? { fleet.incarnation }

  /// Returns whether the process serves a shard.
  func serves(_ shard: Int) -> Bool {
    isAlive && !isPaused && engine?.memory[shard] != nil
      && truth.isTrusted(at: world.now, world.times)
  }
}

/// The clocks of a machine.
struct ModelClock {
  /// The right wall-clock time at the start of the simulation.
  static let start = Instant(milliseconds: 1_772_409_600_000)

  /// The time between boot and the start of the simulation.
  let boot: TimeSpan
  /// The time by which the wall clock is ahead; negative if it is behind.
  var lead = TimeSpan.zero

  func moment(at now: TimeSpan) -> Moment {
    Moment(sinceBoot: boot + now, wall: Self.start + now + lead)
  }
}
