import Outbox
import Reminders
import Synchronization
import Systemd
import Testing

@testable import Engine

/// What becomes of the sinks of an engine that is ended as it is, as when its node begins anew: the
/// next one goes on with those in force, and with nobody else.
@Suite(.timeLimit(.minutes(1))) struct AbandonmentTests {
  /// Tells when it has been ended.
  private final class EndingSink: Sink {
    let name: String
    private let ended = Mutex<(isThere: Bool, waiting: CheckedContinuation<Void, Never>?)>(
      (false, nil))

    init(_ name: String) {
      self.name = name
    }

    var hasEnded: Bool { ended.withLock(\.isThere) }

    func deliver(_ deliveries: [Delivery]) async throws(SinkOutage) -> [SinkAnswer] { [] }

    func stop() async {
      ended.withLock { state in
        state.isThere = true
        state.waiting?.resume()
        state.waiting = nil
      }
    }

    func end() async {
      await withCheckedContinuation { continuation in
        ended.withLock { state in
          if state.isThere { continuation.resume() } else { state.waiting = continuation }
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

  /// A reload had dropped it, and it had not answered yet.
  @Test func s1WhoWasDroppedBeforeIsEnded() async {
    shell.retire(lane: 0)
    #expect(!sinks[0].hasEnded)
    shell.leave()
    await sinks[0].end()
    #expect(!sinks[1].hasEnded)
  }

  /// The engine's thread was in the middle of the reload.
  @Test func s1WhoIsDroppedJustThenIsEnded() async {
    shell.leave()
    shell.retire(lane: 0)
    shell.close(lane: 2)
    let late = EndingSink("late")
    shell.open(lane: 3, for: late, SinkLimits())
    await sinks[0].end()
    await sinks[2].end()
    #expect(!sinks[1].hasEnded && !late.hasEnded)
  }
}
