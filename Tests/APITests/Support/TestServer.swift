import CivilTime
import Engine
import Logging
import NIOCore
import ServiceLifecycle
import TestSupport
import Testing

@testable import API

/// A server for a test, on its own socket.
struct TestServer {
  let socket: String
  /// The addresses of its listeners.
  let addresses: [String]
  let routes: [Route]
  let service: any ReminderService
  private let group: ServiceGroup

  /// Runs `body` while the server serves, and then stops it.
  static func serving<Value>(
    _ service: any ReminderService, listen: TCPAddress? = nil, adopted: [CInt] = [],
    access: APIAccess = APIAccess(),
    interfaces: Set<AppInterface> = Set(AppInterface.allCases),
    control: (any ServiceControl)? = nil, limits: APILimits = APILimits(), fleet: FleetLink? = nil,
    channels: OpenChannels = OpenChannels(),
    now: @escaping @Sendable () -> Instant = { Fixtures.now },
    clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    _ body: (TestServer) async throws -> Value
  ) async throws -> Value {
    try await TemporaryDirectory.with { directory in
      let (boundAddresses, signal) = AsyncStream<[String]>.makeStream()
      let socket = directory + "/s"
      let api = APIServer(
        service: service, socket: socket, listen: listen, adopted: adopted, access: access,
        interfaces: interfaces, control: control, limits: limits, fleet: fleet, channels: channels,
        logger: logger,
        now: now, clock: clock,
        whenBound: { addresses in
          signal.yield(addresses)
          signal.finish()
        })
      let group = ServiceGroup(
        configuration: .init(
          services: [
            .init(service: api, successTerminationBehavior: .gracefullyShutdownGroup)
          ], logger: logger))
      async let running: Void = run(group, then: signal)
      var addresses: [String] = []
      for await bound in boundAddresses { addresses = bound }
      guard !addresses.isEmpty else {
        // The server ended before it served, and `running` throws the reason.
        try await running
        throw NeverServed()
      }
      let outcome: Result<Value, any Error>
      do {
        outcome = .success(
          try await body(
            TestServer(
              socket: socket, addresses: addresses, routes: api.routes, service: service,
              group: group)))
      } catch {
        outcome = .failure(error)
      }
      await group.triggerGracefulShutdown()
      try await running
      return try outcome.get()
    }
  }

  private static func run(
    _ group: ServiceGroup, then signal: AsyncStream<[String]>.Continuation
  ) async throws {
    defer { signal.finish() }
    try await group.run()
  }

  struct NeverServed: Error {}

  /// The address and port of the TCP listener.
  var address: String { addresses.first { !$0.hasPrefix("/") } ?? "" }

  func stop() async {
    await group.triggerGracefulShutdown()
  }

  static var logger: Logger {
    var logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    logger.logLevel = .critical
    return logger
  }
}
