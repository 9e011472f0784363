import Glibc
import Outbox

/// A call over the bus that failed.
struct BusFailure: Error, CustomStringConvertible {
  /// Who or what is in the way.
  private enum Obstacle {
    /// The bus, or that nobody is there.
    case outage
    /// The message itself: it cannot be written, whoever takes it.
    case message
    /// The server, which said no.
    case server
  }

  let description: String
  private let obstacle: Obstacle

  /// - Parameter name: as D-Bus calls it; empty where the bus itself failed.
  init(_ attempt: String, code: Int32, name: String = "", message: String? = nil) {
    let reason = message ?? String(cString: strerror(-code))
    description = "\(attempt): \(reason)" + (name.isEmpty ? "" : " (\(name))")
    obstacle = Self.isOutage(name) ? .outage : .server
  }

  /// A message that has not been sent, because an argument of it cannot be written.
  init(unwritable attempt: String, code: Int32) {
    description = "\(attempt): it cannot be written: \(String(cString: strerror(-code)))"
    obstacle = .message
  }

  /// What it means for the delivery that was to be shown; nil if it says nothing of it, because
  /// nobody could be asked.
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
