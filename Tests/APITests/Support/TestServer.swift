import Engine
import Logging
import NIOCore
import ServiceLifecycle
import Testing

@testable import API

/// A server for a test, on a socket of its own.
struct TestServer {
  let socket: String
  let routes: [Route]
  private let group: ServiceGroup

  /// Runs `body` while the server serves, and then stops it.
  static func serving<Value>(
    _ service: any ReminderService, access: APIAccess = APIAccess(),
    limits: APILimits = APILimits(),
    _ body: (TestServer) async throws -> Value
  ) async throws -> Value {
    try await TemporaryDirectory.with { directory in
      let (bound, signal) = AsyncStream<Void>.makeStream()
      let socket = directory + "/s"
      let api = APIServer(
        service: service, socket: socket, access: access, limits: limits, logger: logger,
        now: { Fixtures.now }, whenBound: { signal.finish() })
      let group = ServiceGroup(
        configuration: .init(
          services: [
            .init(service: api, successTerminationBehavior: .gracefullyShutdownGroup)
          ], logger: logger))
      async let running: Void = group.run()
      for await _ in bound {}
      let outcome: Result<Value, any Error>
      do {
        outcome = .success(
          try await body(TestServer(socket: socket, routes: api.routes, group: group)))
      } catch {
        outcome = .failure(error)
      }
      await group.triggerGracefulShutdown()
      try await running
      return try outcome.get()
    }
  }

  func stop() async {
    await group.triggerGracefulShutdown()
  }

  static var logger: Logger {
    var logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    logger.logLevel = .critical
    return logger
  }
}
