import CivilTime
package import Delivery
import Foundation
package import Systemd

/// `type: desktop`: notifications on a person's desktop.
package struct DesktopConfiguration: SinkConfiguration {
  package static let type = "desktop"
  package static let keys = ["recipient", "bus", "urgency", "expire"]
  package static let requiredKeys = ["recipient"]

  private var settings: DesktopSettings

  package init?(reading settings: inout SinkSettings) {
    guard let recipient = settings.text("recipient") else { return nil }
    self.settings = DesktopSettings(recipient: recipient, bus: settings.text("bus") ?? "")
    self.settings.expire = settings.span("expire", in: .seconds(1) ... .days(1))
    guard let word = settings.text("urgency") else { return }
    guard let urgency = DesktopSettings.Urgency.allCases.first(where: { "\($0)" == word }) else {
      settings.refuse("urgency", "must be low, normal or critical")
      return nil
    }
    self.settings.urgency = urgency
  }

  package func check(credentials: Credentials) throws { _ = try address() }

  private func address() throws(NoSessionBus) -> String {
    if !settings.bus.isEmpty { return settings.bus }
    guard let address = DesktopSettings.bus(in: ProcessInfo.processInfo.environment) else {
      throw NoSessionBus()
    }
    return address
  }

  package func sink(
    _ common: SinkCommonSettings, in surroundings: SinkSurroundings
  ) throws -> any Sink {
    var settings = settings
    settings.bus = try address()
    settings.deadline = Duration(common.deadline)
    return DesktopSink(name: common.name, settings, now: surroundings.now)
  }
}

/// Nobody says where the desktop is.
struct NoSessionBus: Error, CustomStringConvertible {
  let description =
    "there is no session bus in the environment; say \"bus\", such as unix:path=/run/user/1000/bus,"
    + " or run the service as the person's own"
}
