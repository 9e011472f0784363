import Outbox
import Reminders
import Synchronization
import Systemd
import Testing

@testable import Engine

/// The sinks of an engine that is discarded, for example when its node joins again. The next engine
/// keeps only the current sinks.
@Suite(.timeLimit(.minutes(1))) struct AbandonmentTests {
  /// A sink that records that it was stopped.
  private final class EndingSink: Sink {
    let name: String
    private let stopState = Mutex<(isSet: Bool, waiting: CheckedContinuation<Void, Never>?)>(
      (false, nil))

    init(_ name: String) {
      self.name = name
    }

    var wasStopped: Bool { stopState.withLock(\.isSet) }

    func deliver(_ deliveries: [Delivery]) async throws(SinkOutage) -> [SinkAnswer] { [] }

    func stop() async {
      stopState.withLock { state in
        state.isSet = true
        state.waiting?.resume()
        state.waiting = nil
      }
    }

    func waitUntilStopped() async {
      await withCheckedContinuation { continuation in
        stopState.withLock { state in
          if state.isSet { continuation.resume() } else { state.waiting = continuation }
        }
      }
    }
  }

  private let sinks = ["dropped", "kept", "closed"].map { EndingSink($0) }
  private let shell: EngineShell

  init() throws {
    shell = EngineShell(
      sinks: sinks, requestQueue: try RequestQueue(), journal: Journal(.lines(-1)))
  }

  /// When the engine is discarded, the removed sink has not answered everything yet.
  @Test func `S1: a sink removed before its engine is discarded is stopped`() async {
    shell.retire(lane: 0)
    #expect(!sinks[0].wasStopped)
    shell.detachSinks()
    await sinks[0].waitUntilStopped()
    #expect(!sinks[1].wasStopped)
  }

  /// When the engine is discarded, its thread is in the middle of a reload.
  @Test func `S1: a sink removed after its engine is discarded is stopped`() async {
    shell.detachSinks()
    shell.retire(lane: 0)
    shell.close(lane: 2)
    let late = EndingSink("late")
    shell.open(lane: 3, for: late, SinkLimits())
    await sinks[0].waitUntilStopped()
    await sinks[2].waitUntilStopped()
    #expect(!sinks[1].wasStopped && !late.wasStopped)
  }
}
