import API
import Access
import CivilTime
import Engine
import Fleet
import FleetService
import Foundation
import Logging
import Outbox
import Reminders
import ServiceLifecycle
import Sinks
import Systemd

/// Connects the parts of the service, reports its state to systemd, and stops the parts in order.
struct Daemon {
  let command: ServeCommand
  let journal: Journal
  private let threshold: JournalThreshold
  private let ring: JournalRing
  private let manager: ServiceManager
  /// The remarks in `systemctl status`.
  private let board: StatusBoard
  private let heartbeats: Heartbeats
  /// All connections of the API, so that a failure of the store can close them.
  private let channels = OpenChannels()
  /// Supervises the start.
  private let watch = StartWatch.shared

  /// - Parameters:
  ///   - threshold: the lowest priority that the journal writes.
  ///   - ring: holds the journal's latest entries.
  init(
    command: ServeCommand, journal: Journal, threshold: JournalThreshold, ring: JournalRing
  ) {
    self.command = command
    self.journal = journal
    self.threshold = threshold
    self.ring = ring
    manager = .inherited(journal: journal)
    board = StatusBoard(manager)
    heartbeats = Heartbeats(for: manager)
  }

  func run() async throws {
    signal(SIGPIPE, SIG_IGN)
    let journal = journal
    LoggingSystem.bootstrap { JournalLogHandler(label: $0, journal: journal) }
    watch.enter("reading the configuration")
    let zoneKeeper = ZoneKeeper(
      directory: StartConfiguration.stateDirectory(of: command), journal: journal)
    let zones = try ZoneDatabase(
      generation: 1, lastKnown: ZoneKeeper.archive(in: zoneKeeper.directory))
    let start = try StartConfiguration(command, zones: zones, credentials: .inherited())
    let setup = start.candidate.setup
    let planner = CurrentPlanner(start.candidate.planner)
    let webTokens = CurrentWebTokenRules(start.candidate.rules)
    let linkKey = CurrentLinkKey()
    let sinkEnvironment = sinkEnvironment(planner, linkKey, setup.publicURL)
    watch.enter("creating the sinks")
    let registry = SinkRegistry(setup.delivery, in: sinkEnvironment)
    let pushKey = CurrentPushKey(registry.pushKey(by: setup.delivery.routes))
    let serviceReaders = CurrentServiceReaders(registry.serviceReaders)
    watch.enter("listening for the other nodes")
    let directory = NodeDirectory()
    let link = try link(setup.fleet, directory)
    watch.enter("opening the store and loading pending occurrences")
    let serving = try serving(
      start.candidate, directory,
      try engineConfiguration(
        start.candidate, planner.value, registry, linkKey, zoneKeeper))
    watch.enter("saving the configuration")
    let saver = ConfigurationSaver(
      directory: StartConfiguration.savingDirectory(of: command, with: setup), journal: journal,
      board: board)
    saver.begin(start)
    zoneKeeper.save(zones)
    EventLoopWatch.begin(with: heartbeats, at: .now)
    let watchdog = try WatchdogThread.start(
      manager: manager, heartbeats: heartbeats, journal: journal, board: board)
    defer { watchdog?.stop() }
    let reloader = Reloader(
      command,
      Reloader.Service(
        serving: serving, webTokens: webTokens, pushKey: pushKey,
        serviceReaders: serviceReaders, planner: planner, threshold: threshold,
        sinkEnvironment: sinkEnvironment),
      start: start.candidate.fixed, shown: start.candidate.shown, registry: registry,
      manager: manager, saver: saver)
    let access = APIAccess(
      tokens: serving.service, webTokens: webTokens, linkKey: linkKey,
      publicURL: setup.publicURL,
      pushKey: pushKey, serviceReaders: serviceReaders, hosts: setup.hosts,
      origins: setup.origins, console: setup.console,
      audit: JournalAudit(journal: journal))
    do {
      try await serve(serving, access, setup, reloader, link)
    } catch {
      await serving.stopSinks()
      throw error
    }
    await serving.stopSinks()
    let unrecorded = board.remark(on: StatusBoard.end).map { ", but \($0)" } ?? ""
    journal.send(.stopped, "stopped; all decisions are on disk\(unrecorded)")
  }

  private func engineConfiguration(
    _ candidate: Candidate, _ planner: Planner, _ registry: SinkRegistry,
    _ linkKey: CurrentLinkKey, _ zoneKeeper: ZoneKeeper
  ) throws -> Engine.Configuration {
    let setup = candidate.setup
    var configuration = Engine.Configuration(
      store: candidate.openStore, planner: planner, sinks: registry.sinks,
      routes: setup.delivery.routes, limits: setup.delivery.limits, journal: journal,
      board: board, heartbeats: heartbeats, linkKey: linkKey,
      whenStoreFails: { [channels] in FailureEnd.begin($0, channels) })
    configuration.clockTrustAfter = setup.clockTrustAfter
    configuration.retention = setup.retention
    configuration.auditShare = setup.auditShare
    configuration.tracer = try setup.tracing?.tracer(reportingTo: journal)
    configuration.actionLinks = setup.publicURL.map { ActionLinks(at: $0, key: linkKey) }
    configuration.whenZonesChange = { zoneKeeper.saveInBackground($0) }
    return configuration
  }

  /// Creates the link to other nodes; nil if requests are not forwarded. The link is created before
  /// the node joins the fleet, so that a node with faulty certificates does not join.
  private func link(_ fleet: FleetSettings?, _ directory: NodeDirectory) throws -> FleetLink? {
    guard let forwarding = fleet?.forwarding else { return nil }
    let membership = try forwarding.membership(now: WallClock.now())
    return try FleetLink(of: membership, at: forwarding.listen, directory: directory)
  }

  /// Prepares the service. A single service opens its store, and waits until the store is
  /// available. A node of a fleet does not join before it begins to serve.
  private func serving(
    _ candidate: Candidate, _ directory: NodeDirectory, _ configuration: Engine.Configuration
  ) throws -> DaemonEngine {
    guard let database = candidate.setup.database, let fleet = candidate.setup.fleet else {
      return .alone(try engine(configuration))
    }
    let (watch, manager) = (watch, manager)
    let setup = NodeSetup(
      database, name: fleet.name, address: fleet.forwarding.map { "\($0.listen)" } ?? "",
      times: FleetTimes(lease: fleet.lease), engine: configuration
    ) { attempt, reason in
      // The server may start later than this machine, so the attempt is not a failed start.
      watch.enter("waiting for PostgreSQL, attempt \(attempt): \(reason)")
      manager.extendTimeout(by: StoreWait.timeout)
    }
    let node = try NodeShell(setup, journal: journal, board: board, heartbeats: heartbeats)
    directory.begin(node)
    return .node(node)
  }

  /// Waits for the store and returns the engine.
  private func engine(_ configuration: Engine.Configuration) throws -> Engine {
    let wait = StoreWait(watch: watch, manager: manager, journal: journal, board: board)
    var configuration = configuration
    configuration.waitForStore = { wait.pauseBeforeRetry(after: $0) }
    defer { wait.end() }
    return try Engine(holding: configuration)
  }

  private func serve(
    _ serving: DaemonEngine, _ access: APIAccess, _ setup: ServiceSetup, _ reloader: Reloader,
    _ link: FleetLink?
  ) async throws {
    watch.enter("binding the listeners")
    let location = setup.location
    try location.directory?.prepare(for: getuid())
    let (manager, journal) = (manager, journal)
    let (bound, boundContinuation) = AsyncStream<Void>.makeStream()
    let inherited = try ListenSocket.inherited()
    let server = APIServer(
      service: serving.service, socket: location.path, listen: try setup.access.address(),
      adopted: inherited.map(\.descriptor),
      access: access, interfaces: setup.interfaces,
      control: OperatorControl(reloader: reloader, threshold: threshold, ring: ring),
      fleet: link, channels: channels, logger: Logger(label: "api"),
      now: { serving.service.now() },
      whenBound: { [watch] addresses in
        watch.endSupervision()
        manager.ready()
        journal.send(.started, "serving on \(addresses.joined(separator: ", "))")
        boundContinuation.finish()
      })
    // Nothing is sent before clients can connect (rule S1).
    try server.listen()
    watch.enter("beginning to serve")
    try await serving.begin()
    let standbys = try setup.database.map {
      try StandbyWatch.begin($0, journal: journal, board: board)
    }
    defer { standbys?.end() }
    let engineWatch = EngineWatch(serving: serving, journal: journal)
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: [
          .init(
            service: engineWatch, successTerminationBehavior: .gracefullyShutdownGroup,
            failureTerminationBehavior: .gracefullyShutdownGroup),
          .init(service: server),
        ],
        logger: Logger(label: "lifecycle")))
    async let _ = handle(watch.signals, stopping: group) {
      // A reload reports READY again, so the service has to be ready first (rule S1).
      for await _ in bound {}
      JournalAudit(journal: journal).record(
        AuditEntry(actor: "SIGHUP", action: "reload", subject: "for example by systemctl reload"))
      _ = try? await reloader.reload()
    }
    try await group.run()
  }

  /// Stops the service on SIGTERM and SIGINT, and reloads on SIGHUP, until the task is cancelled.
  private func handle(
    _ signals: AsyncStream<CInt>, stopping group: ServiceGroup, reload: () async -> Void
  ) async {
    for await signal in signals {
      if signal == SIGHUP {
        await reload()
      } else {
        // An orderly stop may take longer than the start watch allows.
        watch.endSupervision()
        await group.triggerGracefulShutdown()
      }
    }
  }

  /// The parts of the service that sinks use.
  private func sinkEnvironment(
    _ planner: CurrentPlanner, _ linkKey: CurrentLinkKey, _ publicURL: PublicURL?
  ) -> SinkEnvironment {
    SinkEnvironment(
      journal: journal, credentials: .inherited(), now: { WallClock.now() },
      publicURL: publicURL,
      unsubscribeToken: { recipient, category in
        let isOffered = planner.value.catalog.categories.contains {
          $0.name == category && $0.canBeSwitchedOff
        }
        guard isOffered else { return nil }
        return linkKey.value?.token(recipient: recipient, category: category)
      })
  }
}
