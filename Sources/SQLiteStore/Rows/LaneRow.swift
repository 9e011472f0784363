import Reminders
import Store

/// A row of `lane`, verified by its checksum.
struct LaneRow {
  /// The columns that a statement must select in this order, and those of a new row.
  static let columns = "sink, through, channels, handed, boot, checksum"

  let sink: String
  var lane: StoredLane
  /// The start of the service that may have dispatched what follows the cursor.
  var boot: Int64 = 0

  /// A lane whose deliveries up to a notification are all answered.
  init(_ sink: String, through notification: Int64) {
    self.sink = sink
    lane = StoredLane(place: notification, channels: Self.everything, handed: notification)
  }

  private static let everything = Channel.allCases.reduce(into: ChannelSet()) { set, channel in
    set.insert(ChannelSet(channel))
  }

  /// Reads the current row of a statement.
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
