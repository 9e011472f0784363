package import CivilTime
package import Reminders

/// The columns of `event` from `recipient` on.
package enum EventColumns {
  /// Writes the columns of an event.
  ///
  /// - Parameters:
  ///   - recipient: the recipient's row.
  ///   - previous: the arrival number of the recipient's previous event; 0 if there is none.
  ///   - received: when the service received the event.
  ///   - writer: writes the row, and has written the columns before `recipient`.
  @inlinable package static func put(
    _ event: Event, recipient: Int64, previous: Int64, received: Instant,
    to writer: inout some RowWriter
  ) {
    writer.put(integer: recipient)
    writer.put(integer: previous)
    writer.put(instant: event.time)
    writer.put(integer: event.isTimeGiven ? 1 : 0)
    writer.put(instant: received)
    writer.put(text: event.source)
    writer.put(text: event.identifier)
    writer.put(text: event.type)
    writer.put(bytes: event.data)
  }
}
