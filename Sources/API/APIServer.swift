package import CivilTime
package import Engine
package import Logging
import ServiceLifecycle

/// Serves the HTTP interface on a Unix socket (rule H1) until it is told to stop; what is being
/// answered then is answered to its end.
package struct APIServer: Service {
  private let service: any ReminderService
  private let file: SocketFile
  private let access: APIAccess
  private let limits: APILimits
  private let logger: Logger
  private let now: @Sendable () -> Instant
  private let whenBound: @Sendable () async -> Void

  /// - Parameters:
  ///   - socket: the path of the socket; its directory has to be there.
  ///   - now: reads the clock.
  ///   - whenBound: called once, when clients can connect; never when the service is to stop
  ///     before they can.
  package init(
    service: any ReminderService, socket: String, access: APIAccess = APIAccess(),
    limits: APILimits = APILimits(), logger: Logger, now: @escaping @Sendable () -> Instant,
    whenBound: @escaping @Sendable () async -> Void
  ) {
    self.service = service
    file = SocketFile(path: socket)
    self.access = access
    self.limits = limits
    self.logger = logger
    self.now = now
    self.whenBound = whenBound
  }

  /// Looks whether a socket can be had at a path, now or when whoever listens there has stopped.
  package static func check(socket path: String) throws(SocketFileError) {
    _ = try SocketFile(path: path).isTaken()
  }

  /// - Throws: `SocketFileError` when the socket cannot be had.
  package func run() async throws {
    let channels = OpenChannels()
    let server = HTTPServer(
      limits: limits, logger: logger, channels: channels, respond: responder.respond)
    let socket = try file.listen(mode: 0o660)
    defer { file.remove() }
    try await withGracefulShutdownHandler {
      try await server.serve(socket) {
        if !Task.isShuttingDownGracefully { await whenBound() }
      }
    } onGracefulShutdown: {
      // While the socket is open no other file can be taken for its own.
      file.remove()
      channels.end()
    }
  }

  private var tokenRoutes: [Route] {
    guard let tokens = access.tokens else { return [] }
    return TokenRoutes(tokens: tokens, limits: limits, now: now).routes
  }

  private var responder: APIResponder {
    APIResponder(
      table: RouteTable(routes: routes), authenticator: Authenticator(access: access, now: now),
      limits: limits, now: now)
  }

  /// Everything that can be asked for.
  var routes: [Route] {
    let events = EventRoute(service: service, limits: limits, now: now)
    let pending = PendingRoute(service: service)
    let ahead = AheadRoute(service: service, now: now)
    let explain = ExplainRoute(service: service, now: now)
    let preferences = PreferencesRoutes(service: service, limits: limits, now: now)
    let customer = CustomerRoutes(preferences: preferences)
    let status = StatusRoutes(service: service)
    let others =
      [events.route, pending.route, ahead.route, explain.route] + preferences.routes
      + customer.routes + status.routes + [MetricsRoute(service: service).route] + tokenRoutes
    return others + [DescriptionRoute(service: service, routes: others).route]
  }
}
