import Engine
import FleetService
import ServiceLifecycle
import Systemd

/// The engine as the daemon runs it: one for as long as the process lives, or those of a node of a
/// fleet, one after the other.
enum Serving {
  case alone(Engine)
  case node(NodeShell)

  /// What answers those who talk to the service.
  var service: any ServingEngine {
    switch self {
    case .alone(let engine): engine
    case .node(let node): node.service
    }
  }

  /// Does what is due from now on; returns when those who talk to the service find an engine.
  ///
  /// - Throws: why it never will.
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

  /// Ends it in order.
  func stop() async {
    switch self {
    case .alone(let engine): await engine.stop()
    case .node(let node): await node.stop()
    }
  }

  /// Returns when it has ended: nil after `stop`, else why it cannot go on.
  func end() async -> (any Error)? {
    switch self {
    case .alone(let engine): await engine.end()
    case .node(let node): await node.end()
    }
  }

  /// Ends the sinks, once nothing is handed to them any more.
  func stopSinks() async {
    switch self {
    case .alone(let engine): await engine.stopSinks()
    case .node(let node): await node.stopSinks()
    }
  }
}

/// Stops the engine when the service stops or fails, and ends the service when the engine ends.
struct EngineWatch: Service {
  let serving: Serving
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
