package import CivilTime
import Synchronization
import Systemd

/// The clock of the store's server, used by a node whose own clock is wrong (rule F6). Thread-safe.
package final class ServerClock: Sendable {
  /// A reading of the server's clock, with the machine's time since boot, which cannot be set.
  package struct Reading: Hashable, Sendable {
    /// The server's time; `sinceBoot` is the time since the machine's boot at that instant.
    package let server: Instant
    package let sinceBoot: TimeSpan

    package init(server: Instant, sinceBoot: TimeSpan) {
      (self.server, self.sinceBoot) = (server, sinceBoot)
    }
  }

  /// The smallest difference between the two clocks at which the server's clock replaces the
  /// machine's.
  package static let tolerance = TimeSpan.seconds(2)

  private let reading = Mutex<Reading?>(nil)

  package init() {}

  /// Replaces the reading of the server's clock.
  ///
  /// - Parameter reading: nil unless the server's clock is known to be right.
  package func follow(_ reading: Reading?) { self.reading.withLock { $0 = reading } }

  /// Returns the time by the machine's clock (`wall`), or by the server's clock if the two differ
  /// by `tolerance` or more.
  func time(wall: Instant, sinceBoot: TimeSpan) -> Instant {
    guard let reading = reading.withLock(\.self) else { return wall }
    let server = reading.server + (sinceBoot - reading.sinceBoot)
    let difference = wall - server
    return max(difference, -difference) >= Self.tolerance ? server : wall
  }
}

/// A host whose wall clock is replaced by the server's while the machine's own is wrong.
struct ServerClockHost: EngineHost {
  private let host: any EngineHost
  private let clock: ServerClock

  init(_ host: any EngineHost, by clock: ServerClock) {
    (self.host, self.clock) = (host, clock)
  }

  func now() -> Instant { clock.time(wall: host.now(), sinceBoot: host.sinceBoot()) }

  func uptime() -> MonotonicInstant { host.uptime() }

  func sinceBoot() -> TimeSpan { host.sinceBoot() }

  var boot: String? { host.boot }

  func followZones() { host.followZones() }

  func wait(until wake: Instant?, isUrgent: Bool) -> WakeUp {
    let lead = host.now() - now()
    return host.wait(until: wake.map { $0 + lead }, isUrgent: isUrgent)
  }
}
