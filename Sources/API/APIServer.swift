package import CivilTime
package import Engine
import Hummingbird
import HummingbirdCore
package import Logging
import NIOCore
import ServiceLifecycle

/// Serves the HTTP interface on a Unix socket (rule H1) until it is told to stop; what is being
/// answered then is answered to its end.
package struct APIServer: Service {
  private let service: any ReminderService
  private let file: SocketFile
  private let limits: APILimits
  private let logger: Logger
  private let now: @Sendable () -> Instant
  private let whenBound: @Sendable () async -> Void

  /// - Parameters:
  ///   - socket: the path of the socket; its directory has to be there. Whoever may write to the
  ///     file is served: its owner and its group.
  ///   - now: reads the clock.
  ///   - whenBound: called once, when clients can connect.
  package init(
    service: any ReminderService, socket: String, limits: APILimits = APILimits(), logger: Logger,
    now: @escaping @Sendable () -> Instant, whenBound: @escaping @Sendable () async -> Void
  ) {
    self.service = service
    file = SocketFile(path: socket)
    self.limits = limits
    self.logger = logger
    self.now = now
    self.whenBound = whenBound
  }

  /// - Throws: `SocketFileError` when the socket cannot be had.
  package func run() async throws {
    try file.clear()
    defer { file.remove() }
    let connections = OpenConnections()
    let application = Application(
      responder: responder, server: .http1(configuration: channels(noting: connections)),
      configuration: configuration, onServerRunning: { channel in await take(channel) },
      logger: logger)
    do {
      try await withGracefulShutdownHandler {
        try await application.run()
      } onGracefulShutdown: {
        connections.end()
      }
    } catch let error as IOError {
      throw SocketFileError(file.path, "cannot be listened at", error.errnoCode)
    } catch {
      throw file.failure ?? error
    }
  }

  /// Called when the socket is bound and nobody has been answered yet.
  private func take(_ channel: any Channel) async {
    if file.claim(mode: 0o660) { return await whenBound() }
    channel.close(promise: nil)
  }

  private var responder: APIResponder {
    let events = EventRoute(service: service, limits: limits, now: now)
    let pending = PendingRoute(service: service)
    let status = StatusRoutes(service: service)
    return APIResponder(
      table: RouteTable(routes: [events.route, pending.route] + status.routes), limits: limits)
  }

  private var configuration: ApplicationConfiguration {
    ApplicationConfiguration(
      address: .unixDomainSocket(path: file.path), serverName: "chimed",
      availableConnectionsDelegate: .maximum(limits.connections, logger: logger))
  }

  private func channels(noting connections: OpenConnections) -> HTTP1Channel.Configuration {
    let patience = TimeAmount(limits.stall)
    return HTTP1Channel.Configuration(
      additionalChannelHandlers: [
        ContinueHandler(), ConnectionHandler(connections: connections, patience: patience),
      ],
      idleTimeout: TimeAmount(limits.idle),
      httpDecoderConfiguration: .init(
        maxHeaderFieldSize: limits.headerField, maxHeaderListSize: limits.headerList,
        maxHeaderFieldCount: limits.headerCount))
  }
}
