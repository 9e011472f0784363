package import CivilTime
import Synchronization
import Systemd

/// What the clock of a store's server says, by which a node decides whose own clock is wrong (rule
/// F6). For any thread.
package final class ServerClock: Sendable {
  /// The time of the server's clock at an instant of the machine's time since boot.
  package struct Reading: Hashable, Sendable {
    package let server: Instant
    package let sinceBoot: TimeSpan

    package init(server: Instant, sinceBoot: TimeSpan) {
      (self.server, self.sinceBoot) = (server, sinceBoot)
    }
  }

  /// From which difference on the machine's own clock is not gone by.
  package static let tolerance = TimeSpan.seconds(2)

  private let reading = Mutex<Reading?>(nil)

  package init() {}

  /// - Parameter reading: nil where nothing says that the server's clock is right.
  package func follow(_ reading: Reading?) { self.reading.withLock { $0 = reading } }

  /// What time it is, by the machine's own clock unless that is wrong.
  func time(wall: Instant, sinceBoot: TimeSpan) -> Instant {
    guard let reading = reading.withLock(\.self) else { return wall }
    let server = reading.server + (sinceBoot - reading.sinceBoot)
    let difference = wall - server
    return max(difference, -difference) >= Self.tolerance ? server : wall
  }
}

/// A machine whose wall clock says what the server's does where its own is wrong.
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
