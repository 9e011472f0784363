import Glibc
import Outbox

/// The failure of a connection or a call over D-Bus.
struct BusError: Error, CustomStringConvertible {
  /// The cause of the failure.
  private enum Obstacle {
    /// The bus is down, or has no notification server.
    case outage
    /// The message cannot be encoded for any server.
    case message
    /// The notification server refused the call.
    case server
  }

  let description: String
  private let obstacle: Obstacle

  /// - Parameters:
  ///   - attempt: what failed, such as the name of the method.
  ///   - code: the negated error number.
  ///   - name: the D-Bus error name; empty if the bus itself failed.
  init(_ attempt: String, code: Int32, name: String = "", message: String? = nil) {
    let reason = message ?? String(cString: strerror(-code))
    description = "\(attempt): \(reason)" + (name.isEmpty ? "" : " (\(name))")
    obstacle = Self.isOutage(name) ? .outage : .server
  }

  /// Creates the failure of a message that was not sent because an argument cannot be encoded.
  init(unwritable attempt: String, code: Int32) {
    description = "\(attempt): it cannot be encoded: \(String(cString: strerror(-code)))"
    obstacle = .message
  }

  /// The answer for the affected delivery; nil for an outage, whose cause is not the delivery.
  var answer: SinkAnswer? {
    switch obstacle {
    case .outage: nil
    case .message: .rejected(reason: description)
    case .server: .retry(after: nil, reason: description)
    }
  }

  private static func isOutage(_ name: String) -> Bool {
    name.isEmpty || outages.contains(name) || name.hasPrefix("org.freedesktop.DBus.Error.Spawn.")
  }

  private static let outages = Set(
    [
      "AccessDenied", "Disconnected", "NameHasNoOwner", "NoReply", "NoServer", "ServiceUnknown",
      "Timeout", "TimedOut", "UnknownInterface", "UnknownMethod", "UnknownObject",
    ].map { "org.freedesktop.DBus.Error." + $0 })
}
