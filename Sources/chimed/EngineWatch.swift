import Engine
import ServiceLifecycle
import Systemd

/// Stops the engine when the service stops, and ends the service when the engine ends.
struct EngineWatch: Service {
  let engine: Engine
  let journal: Journal

  func run() async throws {
    let failure = await withGracefulShutdownHandler {
      await engine.end()
    } onGracefulShutdown: { [manager = ServiceManager.inherited(), journal, engine] in
      manager.stopping()
      journal.send(.stopping, "stopping")
      Task { await engine.stop() }
    }
    if let failure { throw failure }
  }
}
