import CivilTime
import Glibc
import Outbox
import Sinks
import Systemd

/// The environment of sinks in tests.
enum Surroundings {
  static let loopback = AddressPolicy(allowed: ["127.0.0.0/8"].compactMap(Network.init))

  /// - Parameters:
  ///   - journal: the path of a file for log entries.
  ///   - credentials: the path of a directory.
  ///   - now: the constant time of the clock; nil for the system's clock.
  static func make(
    journal: String = "/dev/null", credentials: String? = nil, now: Instant? = nil
  ) -> SinkEnvironment {
    let descriptor = open(journal, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    return SinkEnvironment(
      journal: Journal(.lines(descriptor)), credentials: Credentials(directory: credentials),
      now: { now ?? Instant(milliseconds: Int64(time(nil)) * 1_000) })
  }
}
