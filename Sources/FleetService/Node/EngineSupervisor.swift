import CivilTime
import Engine
import Fleet
import Outbox
import PostgresStore
import Store
import Synchronization
import Systemd

/// Opens, calls and ends the engine of a node's current incarnation (its presence in the fleet
/// since it last joined). The incarnation may have no engine yet. Long operations run on other
/// threads; the mailbox brings their results back as events.
///
/// The supervisor is used only on the node's thread.
final class EngineSupervisor {
  private enum EngineState {
    case none
    case opening
    case engine(any NodeEngine)
  }

  /// The pause before a failed request to an engine is repeated.
  private static let retryPause = TimeSpan.seconds(1)

  private let setup: NodeSetup
  private let environment: any NodeEnvironment
  private let mailbox: NodeMailbox
  private let service: CurrentService
  private let state: NodeState
  /// The configuration of this engine and later ones.
  private var configuration: Engine.Configuration
  /// The incarnation that has an engine or opens one; nil for none.
  private var incarnation: Incarnation?
  private var engineState = EngineState.none
  /// Until when the engine of this incarnation may act.
  private var deadline: TrustDeadline
  /// The server's clock, which engines use while the node's own clock is wrong.
  private let serverClock = ServerClock()
  /// The database with the connections of this incarnation's engine only.
  private var database: PostgresDatabase?
  /// The shards that the engine still has to acquire, and the tenures (ownerships of shards) that
  /// it still has to release. There was no engine before, or the engine refused.
  private var toAcquire: Set<Int> = []
  private var toRelease: Set<Tenure> = []
  /// Whether the engine has not answered a request to acquire shards yet.
  private var isAcquiring = false
  /// The time since boot at which requests to the engine are repeated; nil if there are none.
  private(set) var nextRetry: TimeSpan?
  /// Configurations that wait for an engine that is being opened.
  private var toAdopt: [(RuntimeConfiguration, Answer<Void>)] = []
  /// Whether there has ever been a current engine.
  private(set) var hasServed = false

  init(
    _ setup: NodeSetup, _ environment: any NodeEnvironment, _ mailbox: NodeMailbox,
    _ service: CurrentService, _ state: NodeState
  ) {
    (self.setup, self.environment, self.mailbox) = (setup, environment, mailbox)
    (self.service, self.state) = (service, state)
    deadline = TrustDeadline(clock: environment.bootClock)
    configuration = setup.engine
  }

  private var engine: (any NodeEngine)? {
    if case .engine(let engine) = engineState { engine } else { nil }
  }

  // MARK: - Life cycle

  /// Begins to open an engine for an incarnation.
  func open(as incarnation: Incarnation) {
    (self.incarnation, engineState) = (incarnation, .opening)
    deadline = TrustDeadline(clock: environment.bootClock)
    let database = setup.database.withSeparateConnections()
    self.database = database
    environment.open(configuration(for: incarnation, on: database), as: incarnation)
  }

  private func configuration(
    for incarnation: Incarnation, on database: PostgresDatabase
  ) -> Engine.Configuration {
    var configuration = configuration
    let (name, mailbox) = (setup.name, mailbox)
    configuration.store = { () throws(StoreError) in
      try PostgresStore(database, node: name, .fleet(incarnation), at: WallClock.now())
    }
    configuration.trust = deadline
    configuration.serverClock = serverClock
    configuration.fleetStatus = { [state, deadline, lease = setup.times.lease] in
      let (skew, evictions) = state.snapshot.withLock { ($0.skew, $0.evictions) }
      return FleetStatus(
        lease: lease, skew: skew.lead, isTrusted: deadline.holds,
        evictions: EvictionReason.allCases.map {
          FleetStatus.Evictions(reason: $0.rawValue, count: evictions[$0] ?? 0)
        })
    }
    configuration.whenStoreFails = { mailbox.post(.failed(incarnation, $0)) }
    return configuration
  }

  /// Makes an opened engine current.
  ///
  /// - Returns: whether the engine is now the current one.
  func makeCurrent(
    _ result: Result<any NodeEngine, any Error>, as incarnation: Incarnation
  ) -> Bool {
    guard case .success(let engine) = result else { return false }
    guard incarnation == self.incarnation, case .opening = engineState else {
      engine.abandon()
      return false
    }
    engineState = .engine(engine)
    hasServed = true
    service.setEngine(engine.serving)
    let waiting = toAdopt
    toAdopt = []
    for (configuration, answer) in waiting { adopt(configuration, answer) }
    acquireAll()
    return true
  }

  /// Whether opening another engine would fail too.
  func isPermanent(_ error: any Error) -> Bool {
    switch error as? StoreError {
    case .damaged, .newer: true
    case .unusable: !hasServed
    default: false
    }
  }

  /// Ends the engine and its connections at once, so that callers that wait for the server get an
  /// error.
  func discard() {
    deadline.revoke()
    engine?.abandon()
    database?.disconnect()
    clear()
  }

  /// Stops the engine gracefully. Without an engine, reports the end at once.
  func end() {
    guard let incarnation, let engine else {
      if let incarnation { mailbox.post(.ended(incarnation)) }
      return discard()
    }
    let mailbox = mailbox
    engine.stop { mailbox.post(.ended(incarnation)) }
  }

  private func clear() {
    configuration.planner = service.removeEngine()
    (incarnation, database, engineState, nextRetry) = (nil, nil, .none, nil)
    (toAcquire, toRelease, isAcquiring) = ([], [], false)
    let waiting = toAdopt
    toAdopt = []
    for (configuration, answer) in waiting { adopt(configuration, answer) }
  }

  /// Sets the last reading of the server's clock; nil if it is not known to be right.
  func setServerReading(_ reading: (server: Instant, sinceBoot: TimeSpan)?) {
    serverClock.follow(
      reading.map { ServerClock.Reading(server: $0.server, sinceBoot: $0.sinceBoot) })
  }

  /// Extends the time for which the engine may act, and makes the engine read what other nodes may
  /// have changed.
  func trust(until end: TimeSpan) {
    guard let engine else {
      _ = deadline.move(to: end)
      return
    }
    engine.trust(until: end)
    // Other nodes may have changed tokens or paused sinks.
    engine.refresh()
  }

  // MARK: - Shards

  /// Makes the engine acquire shards, now or as soon as there is an engine.
  func acquire(_ tenures: [Tenure]) {
    toAcquire.formUnion(tenures.map(\.shard))
    acquireAll()
  }

  private func acquireAll() {
    guard let engine, let incarnation, !toAcquire.isEmpty, !isAcquiring else { return }
    isAcquiring = true
    engine.acquire(toAcquire) { [mailbox] result in
      mailbox.post(.acquired(incarnation, (try? result.get()) ?? []))
    }
  }

  /// Records the shards that an engine has acquired, and schedules another request for the others.
  func recordAcquired(_ shards: Set<Int>, as incarnation: Incarnation) {
    guard incarnation == self.incarnation else { return }
    isAcquiring = false
    toAcquire.subtract(shards)
    // The clock is in doubt, or the server does not answer: try again later.
    if !toAcquire.isEmpty { scheduleRetry() }
  }

  /// Makes the engine release a shard, now or as soon as there is an engine.
  func release(_ tenure: Tenure) {
    toAcquire.remove(tenure.shard)
    guard let engine, let incarnation else { return releaseLater(tenure) }
    engine.release([tenure.shard]) { [mailbox] result in
      let isDone = (try? result.get()) != nil
      mailbox.post(.released(incarnation, tenure, isDone: isDone))
    }
  }

  /// Requests the release of a shard again after a pause.
  func releaseLater(_ tenure: Tenure) {
    toRelease.insert(tenure)
    scheduleRetry()
  }

  private func scheduleRetry() {
    nextRetry = nextRetry ?? environment.moment.sinceBoot + Self.retryPause
  }

  /// Repeats the requests to the engine if they are due.
  func retryIfDue(at now: TimeSpan) {
    guard let nextRetry, nextRetry <= now else { return }
    self.nextRetry = nil
    let tenures = toRelease
    toRelease = []
    for tenure in tenures { release(tenure) }
    acquireAll()
  }

  // MARK: - New configurations

  /// Makes the engine and later ones use a configuration. A configuration waits while an engine is
  /// being opened.
  func adopt(_ configuration: RuntimeConfiguration, _ answer: @escaping Answer<Void>) {
    switch engineState {
    case .none:
      let unchanged = configuration.unchangedSinks
      let replacedSinks = self.configuration.sinks.filter { !unchanged.contains($0.name) }
      configureLaterEngines(by: configuration)
      for sink in replacedSinks { Task { await sink.stop() } }
      answer(.success(()))
    case .opening: toAdopt.append((configuration, answer))
    case .engine(let engine):
      guard let incarnation else { return }
      engine.adopt(configuration) { [mailbox] in
        mailbox.post(.adopted(incarnation, configuration, $0, answer))
      }
    }
  }

  /// Records an engine's answer to `adopt`, and passes it on.
  func recordAdopted(
    _ configuration: RuntimeConfiguration, by incarnation: Incarnation,
    _ result: Result<Void, ServiceUnavailable>, _ answer: @escaping Answer<Void>
  ) {
    // The engine that answered has ended. Even if it adopted the configuration, the next engine was
    // opened with the previous configuration.
    guard incarnation == self.incarnation else { return adopt(configuration, answer) }
    if case .success = result { configureLaterEngines(by: configuration) }
    answer(result)
  }

  private func configureLaterEngines(by adopted: RuntimeConfiguration) {
    configuration.planner = adopted.planner
    configuration.sinks = adopted.sinks
    configuration.routes = adopted.routes
    configuration.limits = adopted.limits
    configuration.retention = adopted.retention
    service.plan(with: adopted.planner)
    state.sinks.withLock { $0 = adopted.sinks }
  }
}
