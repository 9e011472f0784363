package import CivilTime
package import Engine
import Glibc
package import Logging
import ServiceLifecycle
import Synchronization

/// Serves the HTTP interface (rule H1) until it is told to stop; what is being answered then is
/// answered to its end.
package struct APIServer: Service {
  private let service: any ReminderService
  private let file: SocketFile
  private let listeners: Listeners
  private let access: APIAccess
  private let control: (any ServiceControl)?
  private var limits: APILimits
  private var fleet: FleetLink?
  private var isForNodes: Bool
  private var streams: StreamLimiter
  private let channels: OpenChannels
  private let connections = ConnectionCounts()
  private let responses = ResponseCounts()
  private let refusals: RefusalCounts
  private let shares: EventShares
  private var largeBodies: LargeBodies
  private let places = ListeningPlaces()
  private let desk: TicketStore
  private let backupDesk: TicketStore
  private let exportDesk: TicketStore
  private let views = TextViews()
  private let logger: Logger
  private let now: @Sendable () -> Instant
  private let clock: @Sendable () -> ContinuousClock.Instant
  private let whenBound: @Sendable ([String]) async -> Void

  /// - Parameters:
  ///   - socket: the path of the Unix socket; its directory has to be there.
  ///   - listen: where to listen for TCP besides; nowhere, if nil.
  ///   - adopted: sockets that somebody else opened and that listen already. One of them that is
  ///     of Unix takes the place of `socket`, one of TCP that of `listen`.
  ///   - control: what administrators may have the service do; nothing, if nil.
  ///   - fleet: how the other nodes are reached; nil where there are none.
  ///   - channels: where every connection is kept, for who has to cut them off.
  ///   - now: reads the clock.
  ///   - clock: reads one that nobody sets, for rates.
  ///   - whenBound: called once, when clients can connect, with where they can; never when the
  ///     service is to stop before they can.
  package init(
    service: any ReminderService, socket: String, listen: TCPAddress? = nil,
    adopted: [CInt] = [], access: APIAccess = APIAccess(), control: (any ServiceControl)? = nil,
    limits: APILimits = APILimits(), fleet: FleetLink? = nil,
    channels: OpenChannels = OpenChannels(), logger: Logger,
    now: @escaping @Sendable () -> Instant,
    clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    whenBound: @escaping @Sendable ([String]) async -> Void
  ) {
    self.service = service
    file = SocketFile(path: socket)
    listeners = Listeners(file, tcp: listen, adopted: adopted)
    self.access = access
    self.control = control
    self.limits = limits
    self.fleet = fleet
    isForNodes = false
    streams = StreamLimiter(limits: limits)
    refusals = RefusalCounts(logger: logger, clock: clock)
    shares = EventShares(limits, clock: clock)
    largeBodies = LargeBodies(atOnce: limits.largeBodies)
    desk = TicketStore(clock: clock)
    backupDesk = TicketStore(clock: clock)
    exportDesk = TicketStore(clock: clock)
    self.channels = channels
    self.logger = logger
    self.now = now
    self.clock = clock
    self.whenBound = whenBound
  }

  /// Looks whether a socket can be had at a path, now or when whoever listens there has stopped.
  package static func check(socket path: String) throws(SocketFileError) {
    _ = try SocketFile(path: path).isTaken()
  }

  /// Has clients wait from now on, whom `run` serves; without this they are refused until it runs.
  ///
  /// - Throws: `SocketFileError` or `ListenError` when a socket cannot be had.
  package func listen() throws { try listeners.open() }

  /// - Throws: as `listen` does.
  package func run() async throws {
    let channels = channels
    let sockets = try listeners.take()
    places.note(sockets.map(\.place))
    defer { file.remove() }
    try await withGracefulShutdownHandler {
      try await serve(sockets)
    } onGracefulShutdown: {
      // While the socket is open no other file can be taken for its own.
      file.remove()
      channels.end()
    }
  }

  private func serve(_ sockets: [ListeningSocket]) async throws {
    let server = server(for: responder, within: limits)
    var listeners = sockets.map { (socket: $0, server: server) }
    if let fleet, let socket = fleet.takeSocket() {
      var server = self.server(for: nodeResponder, within: limits.amongNodes)
      server.members = fleet.accepting
      listeners.append((socket, server))
    }
    let waiting = Countdown(from: listeners.count)
    let places = sockets.map(\.place)
    try await withThrowingDiscardingTaskGroup { group in
      for listener in listeners {
        group.addTask {
          try await listener.server.serve(listener.socket) {
            if waiting.isLast() && !Task.isShuttingDownGracefully { await whenBound(places) }
          }
        }
      }
    }
  }

  private func server(for responder: APIResponder, within limits: APILimits) -> HTTPServer {
    HTTPServer(
      limits: limits, logger: logger, channels: channels, administrators: access.local,
      counts: connections, clock: clock, take: responder.take, respond: responder.respond)
  }

  private var tokenRoutes: [Route] {
    guard let tokens = access.tokens else { return [] }
    return TokenRoutes(tokens: tokens, limits: limits, now: now).routes
  }

  private var consoleRoutes: [Route] {
    guard let console = access.console, let tokens = access.tokens else { return [] }
    return ConsoleAccessRoutes(
      tokens: tokens, settings: console, desk: desk, places: places, limits: limits,
      failures: strangers, audit: access.audit, now: now
    ).routes
  }

  private func downloads(_ desk: TicketStore) -> DownloadTickets {
    DownloadTickets(desk: desk, failures: strangers, audit: access.audit, now: now)
  }

  /// Bounds the rate of tickets that do not hold, by the address that they come from.
  private var strangers: RateLimiter {
    RateLimiter(rate: limits.failureRate, burst: limits.failureBurst, clock: clock)
  }

  /// What is for people, and no part of the description.
  private var pages: [Route] { access.console.map { ConsoleRoutes($0).routes } ?? [] }

  private var authenticator: Authenticator { Authenticator(access: access, now: now) }

  private func controlRoutes(_ gate: StreamGate) -> [Route] {
    guard let control else { return [] }
    return ControlRoutes(control: control, limits: limits).routes
      + [
        LogRoute(control: control).route,
        LogStreamRoute(control: control, service: service, gate: gate).route,
      ]
  }

  private func unsubscribeRoutes(_ preferences: PreferencesRoutes) -> [Route] {
    guard let key = access.unsubscribeKey else { return [] }
    return UnsubscribeRoutes(
      key: key, preferences: preferences, limiter: limiter, forwarding: forwarding
    ).routes
  }

  private var events: EventRoute {
    let others = fleet.map { EventForwarding(directory: $0.directory, client: $0.client) }
    return EventRoute(
      intake: EventIntake(service, others: others), limits: limits, audit: access.audit,
      refusals: refusals, largeBodies: largeBodies, shares: shares, now: now)
  }

  private var forwarding: RequestForwarding? {
    fleet.map { fleet in
      RequestForwarding(
        directory: fleet.directory, client: fleet.client,
        gate: StreamGate(authenticator: authenticator, seats: streams, limits: limits),
        limits: limits)
    }
  }

  private var limiter: RateLimiter {
    RateLimiter(rate: limits.rate, burst: limits.burst, clock: clock)
  }

  private var responder: APIResponder {
    APIResponder(
      table: RouteTable(routes: isForNodes ? routes.filter(\.isForNodes) : routes + pages),
      events: events,
      hosts: HostNames(further: access.hosts),
      authenticator: authenticator,
      limiter: limiter, shares: shares,
      failures: RateLimiter(rate: limits.failureRate, burst: limits.failureBurst, clock: clock),
      limits: limits, audit: access.audit, views: views, responses: responses,
      forwarding: forwarding, now: now)
  }

  /// Answers what other nodes pass on, and passes none of it on once more.
  /// Neither nodes nor clients take the room of the others.
  private var nodeResponder: APIResponder {
    var server = self
    server.isForNodes = true
    server.fleet = nil
    server.limits = limits.amongNodes
    server.streams = StreamLimiter(limits: server.limits)
    server.largeBodies = LargeBodies(atOnce: limits.largeBodies)
    return server.responder
  }

  /// Everything that can be asked for.
  var routes: [Route] {
    let pending = PendingRoute(service: service)
    let explain = ExplainRoute(service: service, now: now)
    let preferences = PreferencesRoutes(service: service, limits: limits, now: now)
    let ahead = AheadRoutes(service: service, preferences: preferences, now: now)
    let customer = CustomerRoutes(preferences: preferences)
    let inbox = InboxRoutes(service: service, limits: limits)
    let scheduled = ScheduledRoutes(service: service, limits: limits, now: now)
    let told = NotificationRoutes(service: service)
    let again = NotificationSnoozeRoute(service: service, limits: limits, now: now)
    let gate = StreamGate(
      authenticator: authenticator, seats: streams, limits: limits)
    let stream = StreamRoute(service: service, gate: gate)
    let status = StatusRoutes(service: service)
    let work = HeavyWork(service: service)
    let analytics = AnalyticsRoutes(service: service)
    let others: [[Route]] = [
      [events.route, pending.route, explain.route], ahead.routes, preferences.routes,
      PreferencesCopyRoutes(preferences: preferences).routes,
      PresetRoutes(preferences: preferences).routes, customer.routes,
      inbox.routes, scheduled.routes, told.routes, [again.route, stream.route],
      DeadLetterRoutes(service: service, forwarding: forwarding).routes,
      SinkRoutes(service: service, limits: limits).routes,
      FleetRoutes(service: service).routes,
      [TestRoute(service: service, limits: limits).route],
      [RecipientsRoute(service: service).route, ForecastRoute(service: service).route],
      ErasureRoutes(service: service, now: now).routes,
      RecipientRoutes(service: service, views: views, now: now).routes, tokenRoutes,
      consoleRoutes,
      unsubscribeRoutes(preferences), status.routes,
      [StatusStreamRoute(service: service, gate: gate).route],
      controlRoutes(gate), [FeedRoute(service: service).route],
      [
        MetricsRoute(
          service: service, connections: connections, responses: responses, refusals: refusals
        ).route,
        CatalogRoute(service: service).route,
        SimulateRoute(work: work, limits: limits, now: now).route,
        CatalogMessagesRoute(work: work, control: control, limits: limits, now: now).route,
        CatalogTrialRoute(work: work, limits: limits).route,
        ActivityRoute(service: service).route,
      ], CatalogRoutes(work: work, limits: limits).routes,
      BackupRoutes(service: service, tickets: downloads(backupDesk), now: now).routes,
      ExportRoutes(service: service, tickets: downloads(exportDesk), now: now).routes,
      analytics.routes, [RetentionRoute(service: service).route],
      [UsageRoute(service: service, now: now).route],
    ]
    let all = others.flatMap(\.self)
    return all + [DescriptionRoute(service: service, routes: all).route]
  }
}

/// Tells the last of some tasks that it is the last.
private final class Countdown: Sendable {
  private let count: Atomic<Int>

  init(from count: Int) {
    self.count = Atomic(count)
  }

  func isLast() -> Bool {
    count.subtract(1, ordering: .acquiringAndReleasing).newValue == 0
  }
}
