import Postgres
import Reminders
import Store

/// An event on disk, for comparison with a new one.
struct KnownEvent {
  /// The event's row in the table `event`.
  let row: EventRow
  /// The name of the event's recipient; nil if the recipient was removed.
  let recipient: String?

  init(_ columns: PostgresRow) {
    row = EventRow(columns)
    recipient = columns.optionalText(EventRow.columnCount)
  }

  /// Compares the event with a new one of the same identity hash. Returns nil if their identities
  /// differ.
  ///
  /// - Parameter rest: the second hash of the new event's identity.
  func match(_ event: Event, rest: Int64) -> EventMatch? {
    if row.isErased { return rest == row.identityRest ? .same : nil }
    guard row.identity == event.identity else { return nil }
    let isSame =
      ExactText(event.type) == ExactText(row.type) && event.data == row.data
      && event.isTimeGiven == row.isTimeGiven && (!event.isTimeGiven || event.time == row.time)
      && recipient.map { ExactText($0) == ExactText(event.recipient) } ?? false
    return isSame ? .same : .other
  }
}

extension Arrivals.Entry {
  /// Compares two events; nil if their identities differ.
  func match(_ other: Event) -> EventMatch? {
    guard event.identity == other.identity else { return nil }
    let isSame =
      ExactText(event.type) == ExactText(other.type) && event.data == other.data
      && event.isTimeGiven == other.isTimeGiven && (!event.isTimeGiven || event.time == other.time)
      && ExactText(event.recipient) == ExactText(other.recipient)
    return isSame ? .same : .other
  }
}
