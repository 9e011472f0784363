import Reminders

/// A row of `lane`.
package struct LaneRow: Sendable {
  package let sink: String
  package var lane: StoredLane

  package init(_ sink: String, _ lane: StoredLane) {
    (self.sink, self.lane) = (sink, lane)
  }

  package init(from reader: inout some RowReader) {
    sink = reader.text()
    lane = StoredLane(
      cursor: reader.integer(), channels: ChannelSet(rawValue: reader.byte()),
      lastDispatched: reader.integer())
  }

  package func put(to writer: inout some RowWriter) {
    writer.put(text: sink)
    writer.put(integer: lane.cursor)
    writer.put(integer: Int64(lane.channels.rawValue))
    writer.put(integer: lane.lastDispatched)
  }
}
