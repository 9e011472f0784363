import Reminders
import Store

/// A row of `lane`, which is what was written.
struct LaneRow {
  /// What a statement selects, in this order, and what a new row consists of.
  static let columns = "sink, through, channels, handed, boot, checksum"

  let sink: String
  var lane: StoredLane
  /// The start of the service by which the sink may have been handed what is behind its place.
  var boot: Int64 = 0

  /// A lane that has been handed everything up to a notification.
  init(_ sink: String, through notification: Int64) {
    self.sink = sink
    lane = StoredLane(place: notification, channels: Self.everything, handed: notification)
  }

  private static let everything = Channel.allCases.reduce(into: ChannelSet()) { set, channel in
    set.insert(ChannelSet(channel))
  }

  /// Reads the row on which a statement stands.
  init(_ row: HotStatement) throws {
    sink = row.text(0)
    lane = StoredLane(
      place: row.integer(1),
      channels: ChannelSet(rawValue: UInt8(truncatingIfNeeded: row.integer(2))),
      handed: row.integer(3))
    boot = row.integer(4)
    guard checksum == row.integer(5) else { throw DamagedRow("lane", sink) }
  }

  func bind(to replace: HotStatement) {
    replace.bind(1, sink)
    replace.bind(2, lane.place)
    replace.bind(3, Int64(lane.channels.rawValue))
    replace.bind(4, lane.handed)
    replace.bind(5, boot)
    replace.bind(6, checksum)
  }

  private var checksum: Int64 {
    var sum = Checksum()
    sum.add(sink)
    sum.add(lane.place)
    sum.add(Int64(lane.channels.rawValue))
    sum.add(lane.handed)
    sum.add(boot)
    return sum.value
  }
}
