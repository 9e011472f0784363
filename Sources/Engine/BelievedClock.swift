package import CivilTime
import Synchronization

/// What time the service takes it to be (rule T6): the one clock of the engine and of all who hand
/// something to it, for any thread.
package final class BelievedClock: Sendable {
  private let host: any EngineHost
  private let trust: Mutex<ClockTrust>

  /// - Parameter patience: how long the wall clock has to stay where it has leapt to until it is
  ///   believed.
  package init(_ host: any EngineHost, patience: TimeSpan) {
    self.host = host
    trust = Mutex(
      ClockTrust(wall: host.now(), sinceBoot: host.sinceBoot(), patience: patience))
  }

  package func now() -> Instant { read().now }

  func read() -> ClockTrust.Reading {
    trust.withLock { $0.read(wall: host.now(), sinceBoot: host.sinceBoot()) }
  }

  /// Takes the wall clock for right as it is.
  func believe() {
    trust.withLock { _ = $0.believe(wall: host.now(), sinceBoot: host.sinceBoot()) }
  }
}
