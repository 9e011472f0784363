import Engine
import Reminders
import ServiceLifecycle
import Systemd
import UnixSignals

/// Stops the engine when the service stops, ends the service when the engine ends, and reads the
/// catalogs again on SIGHUP.
struct EngineWatch: Service {
  let engine: Engine
  let reload: @Sendable () throws -> Void
  let journal: Journal

  func run() async throws {
    let reloading = Task { await reloadOnSignal() }
    defer { reloading.cancel() }
    let failure = await withGracefulShutdownHandler {
      await engine.end()
    } onGracefulShutdown: { [manager = ServiceManager.inherited(), journal, engine] in
      manager.stopping()
      journal.send(.stopping, "stopping")
      Task { await engine.stop() }
    }
    if let failure { throw failure }
  }

  private func reloadOnSignal() async {
    for await _ in await UnixSignalsSequence(trapping: .sighup) {
      let manager = ServiceManager.inherited()
      manager.reloading(at: .now)
      do {
        try reload()
        journal.send(.reloaded, "the catalogs were read again; planning everyone anew")
      } catch {
        journal.send(
          .reloadRejected, "the catalogs were not taken: \(error)",
          fields: [(.reason, "\(error)")])
      }
      manager.ready()
    }
  }
}
