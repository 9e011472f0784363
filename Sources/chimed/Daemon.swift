import API
import Access
import CivilTime
import Delivery
import Engine
import Foundation
import Logging
import Reminders
import ServiceLifecycle
import Sinks
import SocketLocation
import Systemd
import UnixSignals

/// Wires the parts together, tells systemd how they are doing, and stops them in order.
struct Daemon {
  let command: ServeCommand
  let journal: Journal
  private let manager = ServiceManager.inherited()
  private let board: StatusBoard
  private let ledger: ProgressLedger

  init(command: ServeCommand, journal: Journal) {
    self.command = command
    self.journal = journal
    board = StatusBoard(manager)
    ledger = ProgressLedger(for: manager)
  }

  func run() async throws {
    // Before there is anything to clean up: what is trapped waits until it can be obeyed.
    let signals = await UnixSignalsSequence(trapping: ServiceSignals.all)
    signal(SIGPIPE, SIG_IGN)
    let journal = journal
    LoggingSystem.bootstrap { JournalLogHandler(label: $0, journal: journal) }
    let setup = try ServiceSetup(command)
    let planner = try setup.planning.planner(zones: ZoneDatabase(generation: 1))
    let webTokens = try setup.access.webTokenRules().map { WebTokenRulesInForce($0) }
    let surroundings = SinkSurroundings(
      journal: journal, credentials: .inherited(), now: { WallClock.now() })
    let sinks = try setup.delivery.sinks.map { try $0.make(in: surroundings) }
    let engine = try Engine(
      Engine.Configuration(
        stateDirectory: setup.stateDirectory, planner: planner, sinks: sinks,
        routes: setup.delivery.routes, journal: journal, board: board, ledger: ledger))
    EventLoopWatch.begin(with: ledger, at: .now)
    let watchdog = try WatchdogThread.start(
      manager: manager, ledger: ledger, journal: journal, board: board)
    defer { watchdog?.stop() }
    try await serve(engine, webTokens, setup, obeying: signals)
  }

  private func serve(
    _ engine: Engine, _ webTokens: WebTokenRulesInForce?, _ setup: ServiceSetup,
    obeying signals: UnixSignalsSequence
  ) async throws {
    let location = setup.location
    try location.directory?.prepare(for: getuid())
    let (manager, journal) = (manager, journal)
    let (bound, whenBound) = AsyncStream<Void>.makeStream()
    let adopted = try ListenSocket.inherited()
    let server = APIServer(
      service: engine, socket: location.path, listen: try setup.access.address(),
      adopted: adopted.map(\.descriptor),
      access: APIAccess(
        tokens: engine, webTokens: webTokens, hosts: setup.access.host),
      logger: Logger(label: "api"),
      now: { WallClock.now() },
      whenBound: { places in
        manager.ready()
        journal.send(.started, "serving on \(places.joined(separator: ", "))")
        whenBound.finish()
      })
    let watch = EngineWatch(engine: engine, journal: journal)
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: [
          .init(service: watch, successTerminationBehavior: .gracefullyShutdownGroup),
          .init(service: server),
        ],
        logger: Logger(label: "lifecycle")))
    async let _ = obey(signals, stopping: group) {
      // To be reloaded is to be ready again, which the service has to be first (rule S1).
      for await _ in bound {}
      reload(engine, webTokens)
    }
    try await group.run()
    journal.send(.stopped, "stopped; everything decided is on disk")
  }

  /// Until it is cancelled: ends the service on SIGTERM and SIGINT, reloads on SIGHUP.
  private func obey(
    _ signals: UnixSignalsSequence, stopping group: ServiceGroup, reload: () async -> Void
  ) async {
    for await signal in signals {
      if signal == .sighup {
        await reload()
      } else {
        await group.triggerGracefulShutdown()
      }
    }
  }

  /// Reads keys and catalogs again (rule S1); the old ones stay in force if one of the new is not
  /// sound.
  private func reload(_ engine: Engine, _ webTokens: WebTokenRulesInForce?) {
    manager.reloading(at: .now)
    do {
      let setup = try ServiceSetup(command)
      let rules = try setup.access.webTokenRules()
      engine.plan(with: try setup.planning.planner(zones: engine.planner.zones))
      if let rules { webTokens?.value = rules }
      journal.send(.reloaded, "the catalogs were read again; planning everyone anew")
    } catch {
      journal.send(
        .reloadRejected, "the configuration was not taken: \(error)",
        fields: [(.reason, "\(error)")])
    }
    manager.ready()
  }
}
