package import CivilTime

/// Acknowledged data that the store has lost, because its log was damaged or its file was replaced
/// by an older one.
package struct StoreLoss: Hashable, Sendable, CustomStringConvertible {
  /// The minimum number of lost events; `notifications` is the minimum number of lost
  /// notifications.
  package let events: Int64
  package let notifications: Int64
  /// The instant at which the last remaining event was received; nil if there is none.
  package let since: Instant?
  /// The instant at which the last lost event was acknowledged; nil if unknown.
  package let until: Instant?

  package init(events: Int64, notifications: Int64, since: Instant?, until: Instant?) {
    self.events = events
    self.notifications = notifications
    self.since = since
    self.until = until
  }

  /// A text such as "12 events and 3 notifications; apps should report again what happened since
  /// ..., when the last remaining event was received".
  package var description: String {
    let report =
      since.map { "what happened since \($0), when the last remaining event was received" }
      ?? "everything, since no event remains"
    let end = until.map { " (the last was acknowledged at \($0))" } ?? ""
    return "\(events) events and \(notifications) notifications\(end); apps should report again "
      + report
  }

  /// Parses a `note`; returns nil if it is malformed.
  package init?(note: String) {
    let fields = note.split(separator: " ").map(String.init)
    guard fields.count == 4, let events = Int64(fields[0]), let notifications = Int64(fields[1])
    else { return nil }
    func instant(_ field: String) -> Instant? { Int64(field).map(Instant.init(milliseconds:)) }
    self.init(
      events: events, notifications: notifications, since: instant(fields[2]),
      until: instant(fields[3]))
  }

  /// The text that is stored.
  package var note: String {
    func field(_ time: Instant?) -> String { time.map { "\($0.milliseconds)" } ?? "-" }
    return "\(events) \(notifications) \(field(since)) \(field(until))"
  }
}
