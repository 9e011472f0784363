import API
import CivilTime
import Delivery
import Engine
import Foundation
import Logging
import Reminders
import ServiceLifecycle
import SocketLocation
import Systemd
import UnixSignals

/// Wires the parts together, tells systemd how they are doing, and stops them in order.
struct Daemon {
  let command: ServeCommand
  let journal: Journal
  private let manager = ServiceManager.inherited()
  private let ledger = ProgressLedger()

  init(command: ServeCommand, journal: Journal) {
    self.command = command
    self.journal = journal
  }

  func run() async throws {
    signal(SIGPIPE, SIG_IGN)
    let journal = journal
    LoggingSystem.bootstrap { JournalLogHandler(label: $0, journal: journal) }
    let planner = try planner()
    let sink = try command.sink.sink(journal: journal)
    let engine = try Engine(
      Engine.Configuration(
        stateDirectory: command.stateDirectory, planner: planner, sink: sink, journal: journal,
        manager: manager, ledger: ledger))
    let watchdog = try WatchdogThread.start(manager: manager, ledger: ledger, journal: journal)
    defer { watchdog?.stop() }
    try await serve(engine)
  }

  private func planner() throws -> Planner {
    let zones = try ZoneDatabase(generation: 1)
    return Planner(
      catalog: try CatalogFiles.standard.catalog(command.catalog), zones: zones,
      defaultZone: try zones.zone(named: command.defaultZone))
  }

  private func serve(_ engine: Engine) async throws {
    let location =
      command.socket.map { SocketLocation(path: $0) }
      ?? .server(environment: ProcessInfo.processInfo.environment, user: getuid())
    try location.directory?.prepare(for: getuid())
    let (manager, journal) = (manager, journal)
    let server = APIServer(
      service: engine, socket: location.path, logger: Logger(label: "api"),
      now: { WallClock.now() },
      whenBound: {
        manager.ready()
        journal.send(.started, "serving on \(location.path)")
      })
    let watch = EngineWatch(engine: engine, reload: { try reload(engine) }, journal: journal)
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: [
          .init(service: watch, successTerminationBehavior: .gracefullyShutdownGroup),
          .init(service: server),
        ],
        gracefulShutdownSignals: [.sigterm, .sigint], logger: Logger(label: "lifecycle")))
    try await group.run()
    journal.send(.stopped, "stopped; everything decided is on disk")
  }

  /// Reads the catalogs again (rule S1); the old ones stay in force if the new are not sound.
  private func reload(_ engine: Engine) throws {
    let zones = engine.planner.zones
    let catalog = try CatalogFiles.standard.catalog(command.catalog)
    engine.plan(
      with: Planner(
        catalog: catalog, zones: zones,
        defaultZone: try zones.zone(named: command.defaultZone)))
  }
}
