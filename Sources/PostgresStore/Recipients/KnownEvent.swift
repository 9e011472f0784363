import Postgres
import Reminders
import Store

/// An event on disk, as far as another is compared with it.
struct KnownEvent {
  let row: EventRow
  /// Whose it is; nil for one who is gone.
  let recipient: String?

  init(_ columns: PostgresRow) {
    row = EventRow(columns)
    recipient = columns.optionalText(EventRow.columnCount)
  }

  /// Nil if it has another identity, whose hash happens to be the same.
  ///
  /// - Parameter rest: of the event's hash.
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
  /// Nil if it has another identity.
  func match(_ other: Event) -> EventMatch? {
    guard event.identity == other.identity else { return nil }
    let isSame =
      ExactText(event.type) == ExactText(other.type) && event.data == other.data
      && event.isTimeGiven == other.isTimeGiven && (!event.isTimeGiven || event.time == other.time)
      && ExactText(event.recipient) == ExactText(other.recipient)
    return isSame ? .same : .other
  }
}
