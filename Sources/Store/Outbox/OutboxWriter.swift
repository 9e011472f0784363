package import CivilTime
package import Reminders

/// What is on its way to sinks (rule D2).
package protocol OutboxWriter {
  // MARK: - Starts

  /// Counts another start of the service; what is handed over from now on bears its number.
  ///
  /// - Returns: whether the start before was told to stop.
  func beginBoot() throws -> Bool

  /// Notes that this start is told to stop: what sinks have not answered for is not to blame.
  func noteStop() throws

  /// Makes retries, due now, of what sinks were handed by an earlier start and never answered for.
  ///
  /// - Parameter isDeath: whether the service died of something.
  /// - Returns: how many of each sink.
  func takeOrphans(now: Instant, isDeath: Bool) throws -> [String: Int]

  /// The retries that sinks had at so many deaths of the service or more.
  func suspects(deaths: Int) throws -> [Retry]

  // MARK: - Lanes

  func lanes() throws -> [String: StoredLane]

  /// Makes lanes anew, or says what they carry from now on.
  func save(lanes: [String: StoredLane]) throws

  func deleteLanes(of sinks: [String]) throws

  /// Notes how far lanes have come.
  func save(_ progress: [LaneProgress]) throws

  /// The deliveries of notifications after one, at most so many notifications of them, in order.
  ///
  /// - Returns: the deliveries, and the last notification looked at, or nil if there was none.
  func deliveries(
    after notification: Int64, limit: Int, on wanted: ChannelSet
  ) throws -> (deliveries: [Delivery], through: Int64?)

  // MARK: - Deliveries by themselves

  /// Which of some notifications are there: the recipients of others have been erased.
  func recorded(among notifications: [Int64]) throws -> Set<Int64>

  /// What tells where some notifications have gone so far; nothing of those that are not there.
  func standings(of notifications: [Int64]) throws -> [Int64: DeliveryStanding]

  /// Writes what has become of deliveries.
  func keep(_ changes: DeliveryChanges) throws

  /// Those that are due, but for what is with a sink.
  ///
  /// - Parameter batchMax: how many may come together with one that was there at so many deaths.
  func dueRetries(
    of sink: String, now: Instant, limit: Int, batchMax: (_ deaths: Int) -> Int
  ) throws -> [Retry]

  /// When the next retry of each of some sinks is due that no sink has.
  func nextRetries(of sinks: [String]) throws -> [String: Instant]

  /// Lets every retry be due so much earlier.
  func shiftRetries(by span: TimeSpan) throws

  // MARK: - Other routes than before

  /// Makes retries, due now, of what a lane on a channel had before it.
  ///
  /// - Parameter sink: whose they are now; nil makes dead letters of them.
  func moveBacklog(
    of channel: Channel, after place: Int64, from old: String, to sink: String?, now: Instant
  ) throws

  /// The sinks that have retries on a channel which are not with them.
  func carriers() throws -> [(sink: String, channel: Channel)]

  /// Gives another sink what one has in retry on a channel and was not handed; nil makes dead
  /// letters of it.
  func moveRetries(of sink: String, on channel: Channel, to other: String?) throws

  /// Forgets what gates hold of those that a lane is going to read again, as it had not come past
  /// them.
  ///
  /// - Returns: whether there was any.
  func forgetHeld(of sink: String, after place: Int64, on channels: ChannelSet) throws -> Bool
}
