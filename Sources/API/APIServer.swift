package import CivilTime
package import Engine
import Glibc
package import Logging
import Outbox
import ServiceLifecycle
import Synchronization

/// Serves the HTTP interface (rule H1) until a graceful shutdown, which completes all answers in
/// progress.
package struct APIServer: Service {
  private let service: any ReminderService
  /// The file of the Unix socket.
  private let file: SocketFile
  private let listeners: Listeners
  private let access: APIAccess
  /// The apps whose own interfaces are served, in addition to `/v1`.
  private let interfaces: Set<AppInterface>
  /// Operations on the service for administrators; nil for none.
  private let control: (any ServiceControl)?
  /// The limits on clients, or on other nodes if `isForNodes` is true.
  private var limits: APILimits
  /// The connection to the other nodes; nil without a fleet, and in `nodeResponder`.
  private var fleet: FleetLink?
  /// Whether the routes are those for requests that other nodes forward, not those for clients.
  private var isForNodes: Bool
  /// Limits the number of open streams.
  private var streams: StreamLimiter
  /// Records every connection, so that a graceful shutdown can end all of them.
  private let channels: OpenChannels
  private let connections = ConnectionCounts()
  private let responses = ResponseCounts()
  private let refusals: RefusalCounts
  private let linkRefusals = LinkRefusals()
  /// Counts the reports about deliveries that delivery services send.
  private let receipts = ReceiptCounts()
  /// Counts the replies of people that delivery services pass on.
  private let replies = ReplyCounts()
  private let replyTurns = SenderTurns()
  /// Limits the events and other changes that recipients' own tokens send.
  private let eventLimiter: EventLimiter
  /// Limits how many batches of events above the size of other bodies are processed at once.
  private var largeBodies: AsyncSemaphore
  /// Limits the rate of invalid tokens and tickets by client address.
  private var failures: RateLimiter
  /// The addresses on which the service listens; empty before `run`.
  private let addresses = ListeningAddresses()
  /// The unused tickets that open the console.
  private let consoleTickets: TicketStore
  /// The unused tickets for a download of a backup.
  private let backupTickets: TicketStore
  /// The unused tickets for a download of a recipient's export.
  private let exportTickets: TicketStore
  /// The callers that have requested the notification texts of recipients.
  private let views = TextViews()
  private let logger: Logger
  private let now: @Sendable () -> Instant
  private let clock: @Sendable () -> ContinuousClock.Instant
  private let whenBound: @Sendable ([String]) async -> Void

  /// - Parameters:
  ///   - socket: the path of the Unix socket, in an existing directory.
  ///   - listen: the TCP address to listen on, in addition to the socket; nil for none.
  ///   - adopted: listening sockets that another program has opened. A Unix socket among them
  ///     replaces `socket`, and a TCP socket replaces `listen`.
  ///   - interfaces: the apps whose own interfaces are served, in addition to `/v1`.
  ///   - control: operations on the service for administrators; nil for none.
  ///   - fleet: the connection to other nodes; nil if the service is not part of a fleet.
  ///   - channels: records every connection, so that the caller can close all of them.
  ///   - now: reads the wall clock.
  ///   - clock: reads a monotonic clock, for rates.
  ///   - whenBound: called once with the listening addresses, when clients can connect; not called
  ///     if the service stops before that.
  package init(
    service: any ReminderService, socket: String, listen: TCPAddress? = nil,
    adopted: [CInt] = [], access: APIAccess = APIAccess(),
    interfaces: Set<AppInterface> = Set(AppInterface.allCases),
    control: (any ServiceControl)? = nil,
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
    self.interfaces = interfaces
    self.control = control
    self.limits = limits
    self.fleet = fleet
    isForNodes = false
    streams = StreamLimiter(limits: limits)
    refusals = RefusalCounts(logger: logger, clock: clock)
    eventLimiter = EventLimiter(limits, clock: clock)
    largeBodies = AsyncSemaphore(limits.largeBodies)
    failures = .ofFailures(limits, clock: clock)
    consoleTickets = TicketStore(clock: clock)
    backupTickets = TicketStore(clock: clock)
    exportTickets = TicketStore(clock: clock)
    self.channels = channels
    self.logger = logger
    self.now = now
    self.clock = clock
    self.whenBound = whenBound
  }

  /// Checks that a socket can be created at a path. Accepts a path at which another program
  /// listens, because that program may stop first.
  package static func check(socket path: String) throws(SocketFileError) {
    _ = try SocketFile(path: path).isSocket()
  }

  /// Returns the address or path of a listening socket; nil if the descriptor is not one.
  package static func address(ofSocket descriptor: Int32) -> String? {
    try? ListeningSocket(adopting: descriptor).address
  }

  /// Opens the sockets. Clients that connect before `run` serves them wait and are not refused.
  ///
  /// - Throws: `SocketFileError` or `ListenError` if a socket cannot be opened.
  package func listen() throws { try listeners.open() }

  /// Serves until a graceful shutdown.
  ///
  /// - Throws: the errors of `listen()`.
  package func run() async throws {
    let channels = channels
    let sockets = try listeners.takeSockets()
    addresses.set(sockets.map(\.address))
    defer { file.remove() }
    try await withGracefulShutdownHandler {
      try await serve(sockets)
    } onGracefulShutdown: {
      // Remove the file while the socket is open. Until the socket is closed, no other file can get
      // the inode number by which `remove` recognizes the file.
      file.remove()
      channels.end()
    }
  }

  private func serve(_ sockets: [ListeningSocket]) async throws {
    let server = server(for: responder, within: limits)
    var listeners = sockets.map { (socket: $0, server: server) }
    if let fleet, let socket = fleet.takeSocket() {
      var server = self.server(for: nodeResponder, within: limits.amongNodes)
      server.nodeTLS = fleet.serverContext
      listeners.append((socket, server))
    }
    let unbound = Countdown(from: listeners.count)
    let addresses = sockets.map(\.address)
    try await withThrowingDiscardingTaskGroup { group in
      for listener in listeners {
        group.addTask {
          try await listener.server.serve(listener.socket) {
            if unbound.countDown() && !Task.isShuttingDownGracefully { await whenBound(addresses) }
          }
        }
      }
    }
  }

  private func server(for responder: APIResponder, within limits: APILimits) -> HTTPServer {
    HTTPServer(
      limits: limits, logger: logger, channels: channels, administrators: access.local,
      counts: connections, clock: clock, submitEvents: responder.submitEvents,
      respond: responder.respond)
  }

  private var tokenRoutes: [Route] {
    guard let tokens = access.tokens else { return [] }
    return TokenRoutes(service: service, tokens: tokens, limits: limits, now: now).routes
  }

  private var consoleRoutes: [Route] {
    guard let console = access.console, let tokens = access.tokens else { return [] }
    return ConsoleAccessRoutes(
      tokens: tokens, settings: console, store: consoleTickets, addresses: addresses,
      limits: limits,
      failures: failures, audit: access.audit, now: now
    ).routes
  }

  private func downloads(_ tickets: TicketStore) -> DownloadTickets {
    DownloadTickets(store: tickets, failures: failures, audit: access.audit, now: now)
  }

  /// The console's pages, which the OpenAPI document omits.
  private var pages: [Route] { access.console.map { ConsoleRoutes($0).routes } ?? [] }

  private var authenticator: Authenticator { Authenticator(access: access, now: now) }

  private func controlRoutes(_ admission: StreamAdmission) -> [Route] {
    guard let control else { return [] }
    return ControlRoutes(control: control, limits: limits).routes
      + [
        LogRoute(control: control).route,
        LogStreamRoute(control: control, service: service, admission: admission).route,
      ]
  }

  /// The paths of the apps whose interfaces are served (rule H21).
  private func appRoutes(_ preferences: PreferencesRoutes) -> [Route] {
    AppInterface.allCases.filter(interfaces.contains).flatMap { interface -> [Route] in
      switch interface {
      case .urbannest: CustomerRoutes(preferences: preferences).routes
      case .rooms: RoomsRoutes(service: service, limits: limits).routes
      }
    }
  }

  private func linkRoutes(_ preferences: PreferencesRoutes) -> [Route] {
    guard let key = access.linkKey else { return [] }
    let unsubscribing = UnsubscribeRoutes(
      key: key, preferences: preferences, limiter: newRequestLimiter(), forwarding: forwarding)
    let actions = ActionRoutes(
      key: key, service: service, limiter: newRequestLimiter(), forwarding: forwarding,
      refusals: linkRefusals, limits: limits, now: now)
    let calendars = CalendarRoutes(
      service: service, work: HeavyWork(service: service, limiter: .ofCalendarLinks()), key: key,
      url: access.publicURL, limiter: newCalendarLimiter(), refusals: linkRefusals, limits: limits,
      now: now)
    return unsubscribing.routes + actions.routes + calendars.routes
  }

  private var intake: EventIntake {
    let forwarding = fleet.map { EventForwarding(directory: $0.directory, client: $0.client) }
    return EventIntake(service, forwarding: forwarding)
  }

  private var events: EventRoute {
    EventRoute(
      intake: intake, limits: limits, audit: access.audit, refusals: refusals,
      largeBodies: largeBodies, eventLimiter: eventLimiter, now: now)
  }

  private func calendarImport(_ work: HeavyWork) -> CalendarImportRoute {
    CalendarImportRoute(
      intake: intake, limits: limits, audit: access.audit, refusals: refusals,
      eventLimiter: eventLimiter,
      work: work, now: now)
  }

  private var receiptRoute: ReceiptRoute {
    ReceiptRoute(
      intake: intake, readers: access.serviceReaders, requests: serviceRequestReader,
      refusals: refusals, counts: receipts, now: now)
  }

  private var replyRoute: ReplyRoute {
    ReplyRoute(
      intake: intake, readers: access.serviceReaders, requests: serviceRequestReader,
      refusals: refusals, counts: replies, turns: replyTurns, now: now)
  }

  private var serviceRequestReader: ServiceRequestReader {
    ServiceRequestReader(limits: limits, failures: failures)
  }

  private var forwarding: RequestForwarding? {
    fleet.map { fleet in
      RequestForwarding(
        directory: fleet.directory, client: fleet.client,
        admission: StreamAdmission(authenticator: authenticator, limiter: streams, limits: limits),
        limits: limits)
    }
  }

  private func newRequestLimiter() -> RateLimiter {
    RateLimiter(rate: limits.rate, burst: limits.burst, clock: clock)
  }

  /// Limits the requests with one link to a calendar, each of which simulates two months. Readers
  /// ask once in minutes or hours.
  private func newCalendarLimiter() -> RateLimiter {
    RateLimiter(rate: 1, burst: 30, clock: clock)
  }

  private var responder: APIResponder {
    APIResponder(
      table: RouteTable(routes: isForNodes ? routes.filter(\.isForNodes) : routes + pages),
      events: events,
      hosts: HostNames(furtherNames: access.hosts), pages: PageAccess(access.origins),
      authenticator: authenticator,
      limiter: newRequestLimiter(), eventLimiter: eventLimiter,
      failures: failures,
      limits: limits, audit: access.audit, views: views, responses: responses,
      forwarding: forwarding, now: now)
  }

  /// Answers requests that other nodes have forwarded, without forwarding them again. Nodes and
  /// clients have separate limits.
  private var nodeResponder: APIResponder {
    var server = self
    server.isForNodes = true
    server.fleet = nil
    server.limits = limits.amongNodes
    server.streams = StreamLimiter(limits: server.limits)
    server.largeBodies = AsyncSemaphore(limits.largeBodies)
    server.failures = .ofFailures(server.limits, clock: clock)
    var responder = server.responder
    // The node that forwards the request adds the headers that let a page read the response.
    responder.pages = PageAccess([])
    return responder
  }

  /// All routes of the interface.
  var routes: [Route] {
    let pending = PendingRoute(service: service)
    let work = HeavyWork(service: service)
    let explain = ExplainRoute(service: service, work: work, now: now)
    let preferences = PreferencesRoutes(
      service: service, work: work, limits: limits, now: now)
    let ahead = AheadRoutes(service: service, preferences: preferences, now: now)
    let scheduled = ScheduledRoutes(service: service, limits: limits, now: now)
    let notifications = NotificationRoutes(service: service)
    let inbox = InboxRoutes(notifications: notifications, limits: limits)
    let snooze = NotificationSnoozeRoute(service: service, limits: limits, now: now)
    let admission = StreamAdmission(
      authenticator: authenticator, limiter: streams, limits: limits)
    let stream = StreamRoute(service: service, admission: admission)
    let status = StatusRoutes(service: service)
    let analytics = AnalyticsRoutes(service: service)
    let describedRoutes: [[Route]] = [
      [events.route, calendarImport(work).route, pending.route, explain.route], ahead.routes,
      preferences.routes,
      PreferencesCopyRoutes(preferences: preferences).routes,
      PresetRoutes(preferences: preferences).routes, appRoutes(preferences),
      inbox.routes, scheduled.routes, notifications.routes, [snooze.route, stream.route],
      DeadLetterRoutes(service: service, forwarding: forwarding).routes,
      SinkRoutes(service: service, limits: limits).routes,
      FleetRoutes(service: service).routes,
      [TestNotificationRoute(service: service, limits: limits).route],
      [RecipientListRoute(service: service).route, ForecastRoute(service: service).route],
      ErasureRoutes(service: service, now: now).routes,
      RecipientRoutes(service: service, views: views, now: now).routes, tokenRoutes,
      [PushKeyRoute(key: access.pushKey).route, receiptRoute.route, replyRoute.route],
      consoleRoutes,
      linkRoutes(preferences), status.routes,
      [StatusStreamRoute(service: service, admission: admission).route],
      controlRoutes(admission),
      [FeedRoute(service: service).route, OutcomesRoute(service: service).route],
      [
        MetricsRoute(
          service: service, connections: connections, responses: responses, refusals: refusals,
          linkRefusals: linkRefusals, receipts: receipts,
          replies: replies
        ).route,
        CatalogNamesRoute(service: service).route,
        SimulateRoute(work: work, limits: limits, now: now).route,
        CatalogMessagesRoute(work: work, control: control, limits: limits, now: now).route,
        CatalogTrialRoute(work: work, limits: limits).route,
        ReplayRoute(work: work, limits: limits).route,
        ActivityRoute(service: service).route,
      ], CatalogRoutes(work: work, limits: limits).routes,
      BackupRoutes(service: service, tickets: downloads(backupTickets), now: now).routes,
      ExportRoutes(service: service, tickets: downloads(exportTickets), now: now).routes,
      analytics.routes, [RetentionRoute(service: service).route],
      [UsageRoute(service: service, now: now).route],
    ]
    let routes = describedRoutes.flatMap(\.self)
    return routes + [OpenAPIRoute(service: service, routes: routes).route]
  }
}

/// Counts down from the number of listeners. The task that reaches zero reports that all listeners
/// are bound.
private final class Countdown: Sendable {
  private let count: Atomic<Int>

  init(from count: Int) {
    self.count = Atomic(count)
  }

  /// Counts down by one; returns whether this call was the last.
  func countDown() -> Bool {
    count.subtract(1, ordering: .acquiringAndReleasing).newValue == 0
  }
}
