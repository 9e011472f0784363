import Engine
import FleetService
import ServiceLifecycle
import Systemd

/// The daemon's engine: one engine for the life of the process, or the consecutive engines of a
/// node in a fleet.
enum DaemonEngine {
  case alone(Engine)
  case node(NodeShell)

  /// The engine interface for the API.
  var service: any ServingEngine {
    switch self {
    case .alone(let engine): engine
    case .node(let node): node.service
    }
  }

  /// Starts processing; returns when the API has an engine.
  ///
  /// - Throws: why the engine cannot start.
  func begin() async throws {
    switch self {
    case .alone(let engine): try engine.begin()
    case .node(let node): try await node.begin()
    }
  }

  func adopt(_ configuration: RuntimeConfiguration) async throws(ServiceUnavailable) {
    switch self {
    case .alone(let engine): try await engine.adopt(configuration)
    case .node(let node): try await node.adopt(configuration)
    }
  }

  /// Stops the engine in order.
  func stop() async {
    switch self {
    case .alone(let engine): await engine.stop()
    case .node(let node): await node.stop()
    }
  }

  /// Returns when the engine has ended: nil after `stop`, otherwise why it cannot continue.
  func end() async -> (any Error)? {
    switch self {
    case .alone(let engine): await engine.end()
    case .node(let node): await node.end()
    }
  }

  /// Stops the sinks, after the last delivery was sent to them.
  func stopSinks() async {
    switch self {
    case .alone(let engine): await engine.stopSinks()
    case .node(let node): await node.stopSinks()
    }
  }
}

/// Stops the engine when the service stops or fails, and stops the service when the engine ends.
struct EngineWatch: Service {
  let serving: DaemonEngine
  let journal: Journal

  func run() async throws {
    let failure = await withTaskCancellationOrGracefulShutdownHandler {
      await serving.end()
    } onCancelOrGracefulShutdown: { [journal, serving] in
      ServiceManager.inherited(journal: journal).stopping()
      journal.send(.stopping, "stopping")
      Task { await serving.stop() }
    }
    if let failure { throw failure }
  }
}
