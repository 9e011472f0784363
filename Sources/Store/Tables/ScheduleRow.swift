import CivilTime
package import Reminders

/// A row of `schedule` without the progress.
package struct ScheduleRow: Sendable {
  /// The row of the recipient.
  package let recipient: Int64
  package var next: Schedule
  package var counts = NotificationCounts()

  package init(_ recipient: UInt32, _ next: Schedule, _ counts: NotificationCounts) {
    self.recipient = Int64(recipient)
    self.next = next
    self.counts = counts
  }

  @inlinable package init(from reader: inout some RowReader) {
    recipient = reader.integer()
    next = Schedule(due: reader.optionalInstant(), pending: Int(reader.integer()))
    counts.head = reader.integer()
    counts.recent = Int(reader.integer())
    counts.items = Int(reader.integer())
    counts.unread = Int(reader.integer())
    counts.cleared = reader.integer()
  }

  @inlinable package func put(to writer: inout some RowWriter) {
    writer.put(integer: recipient)
    writer.put(optionalInstant: next.due)
    writer.put(integer: Int64(next.pending))
    writer.put(integer: counts.head)
    writer.put(integer: Int64(counts.recent))
    writer.put(integer: Int64(counts.items))
    writer.put(integer: Int64(counts.unread))
    writer.put(integer: counts.cleared)
  }
}
