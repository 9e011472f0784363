package import CivilTime
import Reminders

/// What a `desktop` sink shows, where and for whom.
package struct DesktopSettings: Hashable, Sendable {
  /// As D-Bus numbers them.
  package enum Urgency: UInt8, CaseIterable, Sendable {
    case low, normal, critical
  }

  /// The person before the desktop.
  package var recipient: String
  /// The address of the session bus.
  package var bus: String
  package var urgency = Urgency.normal
  /// How long it is shown; nil leaves it to the desktop.
  package var expire: TimeSpan?
  /// How long the desktop has to answer.
  package var deadline = Duration.seconds(15)

  package init(recipient: String, bus: String) {
    self.recipient = recipient
    self.bus = bus
  }

  /// The address of the session bus in an environment; nil if it names none.
  package static func bus(in environment: [String: String]) -> String? {
    if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty { return address }
    return environment["XDG_RUNTIME_DIR"].map { "unix:path=\($0)/bus" }
  }
}
