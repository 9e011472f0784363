import Reminders
import Store

/// Rows of `lane`, verified by their checksums.
extension LaneRow {
  /// Creates a lane of all channels, whose deliveries up to a notification are answered.
  init(_ sink: String, through notification: Int64) {
    self.init(
      sink,
      StoredLane(cursor: notification, channels: Self.allChannels, lastDispatched: notification))
  }

  private static var allChannels: ChannelSet {
    Channel.allCases.reduce(into: []) { $0.insert(ChannelSet($1)) }
  }

  /// Reads the current row of a statement.
  init(_ row: HotStatement) throws {
    self = try row.row(of: .lane) { LaneRow(from: &$0) }
  }

  func bind(to replace: HotStatement) {
    var binder = RowBinder(replace)
    put(to: &binder)
    binder.putChecksum()
  }
}
