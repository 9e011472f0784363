package import CivilTime
package import JSON

/// A step of a notification, for analytics: a decision, or a state on one channel (rule M6).
package struct NotificationOutcome: Hashable, Sendable {
  /// Names are stored: never rename them.
  package enum State: String, CaseIterable, Sendable {
    /// The gates' decision (`held` to `sent`), the service's answer or report (`accepted` to
    /// `complained`), the recipient's opening, or the recipient's choice of an action.
    case held, dropped, bundled, sent, accepted, failed, received, bounced, complained
    case opened, acted
    /// The notification was withdrawn from the devices (rule D16).
    case withdrawn
  }

  /// The recipient's row.
  package var row: UInt32
  /// The id that the deliveries carry; nil while the occurrence is held.
  package var notification: NotificationID?
  /// The name of the reminder.
  package var reminder: String
  /// The name of the category.
  package var category: String
  package var channels: ChannelSet
  package var state: State
  /// The instant of the decision, the answer or the report.
  package var at: Instant
  /// The gates that held or dropped the occurrence.
  package var reasons: [String]
  /// The name of the action that the recipient chose; nil unless the state is `acted`.
  package var action: String?

  package init(
    row: UInt32, notification: NotificationID?, reminder: String, category: String,
    channels: ChannelSet, state: State, at: Instant, reasons: [String] = [],
    action: String? = nil
  ) {
    self.row = row
    self.notification = notification
    self.reminder = reminder
    self.category = category
    self.channels = channels
    self.state = state
    self.at = at
    self.reasons = reasons
    self.action = action
  }

  /// The name of the analytics events that contain outcomes.
  package static let name = "notification_outcome"

  /// The analytics event that contains the outcome.
  package var event: AnalyticsEvent {
    var parameters: JSONObject = [
      "reminder": .string(reminder), "category": .string(category),
      "channels": .array(channels.channels.map { .string($0.name) }),
      "state": .string(state.rawValue),
    ]
    if let notification { parameters["notification"] = .string("\(notification)") }
    if !reasons.isEmpty { parameters["reasons"] = .array(reasons.map { .string($0) }) }
    if let action { parameters["action"] = .string(action) }
    return AnalyticsEvent(
      time: at, name: Self.name, parameters: JSONWriter.canonical(.object(parameters)))
  }
}

extension AnalyticsRecord {
  /// The parameters of the event; empty if they cannot be read.
  package var values: JSONObject {
    (try? JSONParser.parse(event.parameters))?.objectValue ?? JSONObject()
  }

  /// The id of the notification that an outcome is about; nil for other analytics events, and while
  /// the occurrence is held.
  package var notification: String? { values["notification"]?.stringValue }
}

extension NotificationOutcome {
  /// Returns the outcome of a dispatched delivery; nil for a measure without a corresponding state.
  init?(_ measure: UsageMeasure, _ delivery: Delivery, at instant: Instant, _ reason: Gate?) {
    let state: State? =
      switch measure {
      case .sent: .sent
      case .delivered: .accepted
      case .failed: .failed
      case .dropped: .dropped
      default: nil
      }
    guard let state else { return nil }
    self.init(
      row: delivery.row, notification: NotificationID(delivery.instance, delivery.notification),
      reminder: delivery.reminder, category: delivery.category,
      channels: ChannelSet(delivery.channel), state: state, at: instant,
      reasons: reason.map { [$0.reason] } ?? [])
  }
}
