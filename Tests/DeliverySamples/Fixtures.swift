package import CivilTime
package import Reminders

/// Sample deliveries for lanes and sinks.
package enum Fixtures {
  /// 2026-03-02T12:00:00Z.
  package static let noon = Instant(milliseconds: 1_772_452_800_000)

  package static func delivery(
    _ notification: Int64, _ channel: Channel = .push, at: Instant = noon,
    title: String = "Note", body: String = "A note.", expiry: Instant = noon + .hours(12)
  ) -> Delivery {
    Delivery(
      instance: "store", notification: notification, row: 1, recipient: "amina",
      channel: channel, isSilent: false, planned: noon - .seconds(1), at: at,
      expiry: expiry,
      message: Message(reminder: "note", category: "NOTE", title: title, body: body))
  }

  package static func deliveries(_ notifications: ClosedRange<Int64>) -> [Delivery] {
    notifications.map { delivery($0) }
  }
}
