import CivilTime
import Foundation
import Outbox
import Reminders
import Sinks

/// A desktop on its own bus.
final class DesktopPeer: SinkPeer {
  private let bus: PrivateBus
  private var server: NotificationServer
  private var earlierArrivals: [Arrival] = []
  private var refusedIdentifiers: Set<String> = []

  init() throws {
    bus = try PrivateBus()
    server = try NotificationServer(address: bus.address)
  }

  func sink(
    _ common: SinkCommonSettings, in surroundings: SinkEnvironment
  ) async throws -> any Sink {
    var settings = DesktopSettings(recipient: "amina", bus: bus.address)
    settings.deadline = Duration(common.deadline)
    return DesktopSink(name: common.name, settings, now: surroundings.now)
  }

  /// Addresses a refused delivery to another recipient, because the sink rejects deliveries to
  /// anyone but the desktop's recipient.
  func addressed(_ delivery: Delivery) -> Delivery {
    var delivery = delivery
    if refusedIdentifiers.contains(delivery.identifier) { delivery.recipient = "bilal" }
    return delivery
  }

  func received() throws -> [Arrival] {
    earlierArrivals
      + server.shown.map { shown in
        Arrival(
          identifier: shown.hints["x-chimed-delivery"] ?? "",
          text: shown.texts[2] + "\n" + shown.texts[3])
      }
  }

  /// The server reads bodies as markup, and D-Bus texts have no zero characters.
  func text(of delivery: Delivery) -> String {
    let body = delivery.body.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
      .replacing(">", with: "&gt;")
    return (delivery.title + "\n" + body).replacing("\0", with: "\u{FFFD}")
  }

  func disconnect() throws { server.stop() }

  func reconnect() throws {
    earlierArrivals = try received()
    server = try NotificationServer(address: bus.address)
  }

  func stall() throws { server.stopAnswering() }
  func refuse(_ identifier: String) throws { refusedIdentifiers.insert(identifier) }
}
