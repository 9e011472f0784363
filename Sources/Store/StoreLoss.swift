package import CivilTime

/// What a store had acknowledged and has no more: its log was damaged, or an older file has been
/// put in its place.
package struct StoreLoss: Hashable, Sendable, CustomStringConvertible {
  /// How many events and how many notifications, at least.
  package let events: Int64
  package let notifications: Int64
  /// When the last event came that is left; nil if none is.
  package let since: Instant?
  /// When the last was acknowledged that the store had, as far as that is known.
  package let until: Instant?

  package init(events: Int64, notifications: Int64, since: Instant?, until: Instant?) {
    self.events = events
    self.notifications = notifications
    self.since = since
    self.until = until
  }

  /// "12 events and 3 notifications; apps should report again what happened since ..., when the
  /// last event came that is left".
  package var description: String {
    let report =
      since.map { "what happened since \($0), when the last event came that is left" }
      ?? "everything, for no event is left"
    let end = until.map { " (the last was acknowledged at \($0))" } ?? ""
    return "\(events) events and \(notifications) notifications\(end); apps should report again "
      + report
  }

  /// Reads what `note` wrote.
  package init?(note: String) {
    let fields = note.split(separator: " ").map(String.init)
    guard fields.count == 4, let events = Int64(fields[0]), let notifications = Int64(fields[1])
    else { return nil }
    func instant(_ field: String) -> Instant? { Int64(field).map(Instant.init(milliseconds:)) }
    self.init(
      events: events, notifications: notifications, since: instant(fields[2]),
      until: instant(fields[3]))
  }

  package var note: String {
    func field(_ time: Instant?) -> String { time.map { "\($0.milliseconds)" } ?? "-" }
    return "\(events) \(notifications) \(field(since)) \(field(until))"
  }
}
