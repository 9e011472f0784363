package import CivilTime
import JSON

/// What a change of a person's preferences or permissions tells, under the names and with the
/// fields that seed U gives its analytics (rule M1).
package struct AnalyticsEvent: Hashable, Sendable {
  package let time: Instant
  package let name: String
  /// A JSON object, canonical.
  package let parameters: [UInt8]

  package init(time: Instant, name: String, parameters: [UInt8]) {
    self.time = time
    self.name = name
    self.parameters = parameters
  }

  private init(_ name: String, _ parameters: JSONObject, at time: Instant) {
    self.init(
      time: time, name: name, parameters: JSONWriter.canonical(.object(parameters)))
  }

  static func preferenceChanged(
    _ category: String, isEnabled: Bool, at time: Instant
  ) -> AnalyticsEvent {
    AnalyticsEvent(
      "notification_preference_changed",
      ["category": .string(category), "enabled": .bool(isEnabled)], at: time)
  }

  static func dndEnabled(_ hours: QuietHours, at time: Instant) -> AnalyticsEvent {
    AnalyticsEvent(
      "dnd_enabled",
      [
        "start_time": .string(hours.start.description), "end_time": .string(hours.end.description),
      ], at: time)
  }

  static func permissionRequested(at time: Instant) -> AnalyticsEvent {
    AnalyticsEvent(
      "push_permission_requested", ["source": "notification_settings"], at: time)
  }

  static func permissionStatus(isGranted: Bool, at time: Instant) -> AnalyticsEvent {
    AnalyticsEvent("push_permission_status", ["granted": .bool(isGranted)], at: time)
  }
}

/// An analytics event as it is kept, with its place in the order in which they were written.
package struct AnalyticsRecord: Sendable {
  package var number: Int64
  package var recipient: String
  package var event: AnalyticsEvent

  package init(number: Int64, recipient: String, event: AnalyticsEvent) {
    self.number = number
    self.recipient = recipient
    self.event = event
  }
}
