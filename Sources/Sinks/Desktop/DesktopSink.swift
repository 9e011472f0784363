package import CivilTime
import Foundation
package import Outbox
package import Reminders
import Synchronization
package import Systemd

/// Shows deliveries on a desktop by D-Bus (org.freedesktop.Notifications).
///
/// A desktop belongs to one recipient; deliveries for others are rejected. A repeated delivery
/// replaces the shown notification, unless this process or the notification server has restarted
/// since.
package final class DesktopSink: ReportingSink {
  private struct Connection {
    let bus: SessionBus
    /// Whether the notification server interprets the body as markup.
    let interpretsMarkup: Bool
    var shownNotifications = ShownNotifications()
  }

  package let name: String
  package let type = DesktopConfiguration.type
  package let window = 64
  private let settings: DesktopSettings
  private let now: @Sendable () -> Instant
  private let connection = Mutex<Connection?>(nil)

  /// The retry delay after a failure of the connection: of the affected delivery and the following
  /// ones.
  private static let retryDelay = TimeSpan.seconds(5)

  package init(
    name: String = "desktop", _ settings: DesktopSettings, now: @escaping @Sendable () -> Instant
  ) {
    self.name = name
    self.settings = settings
    self.now = now
  }

  package func deliver(
    _ deliveries: [Delivery], _ progress: BatchProgress
  ) async throws(SinkOutage) -> [SinkAnswer] {
    try connection.withLock { connection throws(SinkOutage) in
      connection?.bus.clear()
      var answers: [SinkAnswer] = []
      for delivery in deliveries {
        do throws(BusError) {
          let answer = try answer(to: delivery, &connection)
          progress.answer(answers.count, answer)
          answers.append(answer)
        } catch {
          // The next connection may reach another server, which does not know the numbers of
          // notifications.
          connection = nil
          guard answers.contains(where: \.isDelivered) else {
            throw SinkOutage("the desktop cannot be reached: \(error)")
          }
          let retryLater = SinkAnswer.retry(after: Self.retryDelay, reason: "\(error)")
          answers += Array(repeating: retryLater, count: deliveries.count - answers.count)
          break
        }
      }
      return answers
    }
  }

  /// - Throws: a failure whose cause is not the delivery, such as a bus that is down.
  private func answer(
    to delivery: Delivery, _ connection: inout Connection?
  ) throws(BusError) -> SinkAnswer {
    guard delivery.recipient == settings.recipient else {
      return .rejected(reason: "the desktop of this sink belongs to another recipient")
    }
    let openConnection: Connection
    if let connection { openConnection = connection } else { openConnection = try connect() }
    connection = openConnection
    do throws(BusError) {
      if let number = try show(delivery, on: openConnection) {
        connection?.shownNotifications.record(number, of: delivery.identifier)
      }
      return .delivered
    } catch {
      guard let answer = error.answer else { throw error }
      return answer
    }
  }

  private func connect() throws(BusError) -> Connection {
    let bus = try SessionBus(address: settings.bus)
    let capabilities = try bus.call("GetCapabilities", timeout: settings.deadline).texts()
    return Connection(bus: bus, interpretsMarkup: capabilities.contains("body-markup"))
  }

  private func show(
    _ delivery: Delivery, on connection: Connection
  ) throws(BusError) -> UInt32? {
    let isSilent = delivery.isSilent || delivery.hints.contains(.noSound)
    let urgency = delivery.isSilent ? .low : settings.urgency
    let reply = try connection.bus.call("Notify", timeout: settings.deadline) { message in
      message.append("chimed")
      message.append(connection.shownNotifications[delivery.identifier] ?? 0)
      message.append("")
      message.append(delivery.title)
      message.append(connection.interpretsMarkup ? Self.escaped(delivery.body) : delivery.body)
      message.appendEmptyList()
      message.appendMapping {
        message.append("urgency", byte: urgency.rawValue)
        if isSilent { message.append("suppress-sound", toggle: true) }
        message.append("x-chimed-delivery", text: delivery.identifier)
      }
      message.append(displayMilliseconds(of: delivery))
    }
    return reply.number()
  }

  /// Returns the display time in milliseconds; -1 if the notification server decides. The time is
  /// the configured one, or less if the delivery expires earlier, but at least a second.
  private func displayMilliseconds(of delivery: Delivery) -> Int32 {
    guard let expire = settings.expire else { return -1 }
    let span = max(.seconds(1), min(expire, delivery.expiry - now()))
    return Int32(clamping: span.milliseconds)
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}

/// The numbers that the notification server gave to shown notifications, by delivery identifier;
/// only the latest 1,024 are stored.
struct ShownNotifications {
  private var numbers: [String: UInt32] = [:]
  /// The identifiers, the earliest first.
  private var order: [String] = []

  static let countMax = 1_024

  subscript(identifier: String) -> UInt32? { numbers[identifier] }

  mutating func record(_ number: UInt32, of identifier: String) {
    if numbers.updateValue(number, forKey: identifier) == nil { order.append(identifier) }
    if order.count > Self.countMax { numbers[order.removeFirst()] = nil }
  }
}

/// `type: desktop`: notifications on a person's desktop.
package struct DesktopConfiguration: SinkConfiguration {
  package static let type = "desktop"
  package static let acceptsConcurrency = false
  package static let keys: [KeyDescription] = [
    .required("recipient", .text, "The recipient whose desktop it is."),
    .optional("bus", .text, "The address of the session bus."),
    .optional("urgency", .word(["low", "normal", "critical"]), "The urgency on the desktop."),
    .optional("expire", .span, "How long a notification is shown."),
  ]

  private var settings: DesktopSettings

  package init?(reading settings: inout SinkSettings) {
    guard let recipient = settings.text("recipient") else { return nil }
    self.settings = DesktopSettings(recipient: recipient, bus: settings.text("bus") ?? "")
    self.settings.expire = settings.span("expire", in: .seconds(1) ... .days(1))
    guard let name = settings.text("urgency") else { return }
    guard let urgency = DesktopSettings.Urgency.allCases.first(where: { "\($0)" == name }) else {
      settings.refuse("urgency", "must be low, normal or critical")
      return nil
    }
    self.settings.urgency = urgency
  }

  package func check(credentials: Credentials) throws { _ = try address() }

  private func address() throws(NoSessionBusError) -> String {
    if !settings.bus.isEmpty { return settings.bus }
    guard let address = DesktopSettings.bus(in: ProcessInfo.processInfo.environment) else {
      throw NoSessionBusError()
    }
    return address
  }

  package func sink(
    _ common: SinkCommonSettings, in surroundings: SinkEnvironment
  ) throws -> any Sink {
    var settings = settings
    settings.bus = try address()
    settings.deadline = Duration(common.deadline)
    return DesktopSink(name: common.name, settings, now: surroundings.now)
  }
}

/// The error if neither the configuration nor the environment names a session bus.
struct NoSessionBusError: Error, CustomStringConvertible {
  let description =
    "the environment names no session bus; set \"bus\", such as unix:path=/run/user/1000/bus, or "
    + "run the service as the desktop's user"
}

/// The settings of a `desktop` sink.
package struct DesktopSettings: Hashable, Sendable {
  /// The urgency levels, with the numbers of the D-Bus protocol.
  package enum Urgency: UInt8, CaseIterable, Sendable {
    case low, normal, critical
  }

  /// The recipient to whom the desktop belongs.
  package var recipient: String
  /// The address of the session bus.
  package var bus: String
  /// The urgency of notifications that are not silent.
  package var urgency = Urgency.normal
  /// The display time of a notification; nil leaves it to the desktop.
  package var expire: TimeSpan?
  /// How long the notification server may take to answer.
  package var deadline = Duration.seconds(15)

  package init(recipient: String, bus: String) {
    self.recipient = recipient
    self.bus = bus
  }

  /// Returns the address of the session bus that an environment names; nil if it names none.
  package static func bus(in environment: [String: String]) -> String? {
    if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty { return address }
    return environment["XDG_RUNTIME_DIR"].map { "unix:path=\($0)/bus" }
  }
}
