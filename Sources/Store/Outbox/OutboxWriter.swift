package import CivilTime
package import Reminders

/// Writes the state of deliveries on their way to sinks (rule D2).
package protocol OutboxWriter {
  // MARK: - Starts

  /// Counts a start of the service. In SQLite, retries in flight are marked with its number.
  ///
  /// - Returns: whether the previous process was asked to stop.
  func beginBoot() throws -> Bool

  /// Records that this process was asked to stop, so that unanswered deliveries are not blamed for
  /// its end.
  func recordStop() throws

  /// Turns deliveries that an earlier process dispatched without an answer into retries that are
  /// due now.
  ///
  /// - Parameter isDeath: whether the previous process crashed.
  /// - Returns: the number of retries of each sink.
  func takeOrphans(now: Instant, isDeath: Bool) throws -> [String: Int]

  /// Retries that were in flight at `deaths` crashes or more.
  func suspects(deaths: Int) throws -> [Retry]

  // MARK: - Lanes

  func lanes() throws -> [String: StoredLane]

  /// Creates or replaces lanes.
  func save(lanes: [String: StoredLane]) throws

  func deleteLanes(of sinks: [String]) throws

  /// Saves the progress of lanes.
  func save(_ progress: [LaneProgress]) throws

  /// The deliveries after a notification, in order, from at most `limit` notifications.
  ///
  /// - Returns: the deliveries, and the last notification read; nil if there was none.
  func deliveries(
    after notification: Int64, limit: Int, on wanted: ChannelSet
  ) throws -> (deliveries: [Delivery], through: Int64?)

  // MARK: - Single deliveries

  /// The notifications among these that exist; those of erased recipients do not.
  func recorded(among notifications: [Int64]) throws -> Set<Int64>

  /// The notifications of these deliveries whose occurrence has a record of a later round.
  func replaced(among deliveries: [Delivery]) throws -> Set<Int64>

  /// How far notifications have come. Missing notifications are left out.
  func standings(of notifications: [Int64]) throws -> [Int64: DeliveryStanding]

  /// Saves changes to deliveries.
  func keep(_ changes: DeliveryChanges) throws

  /// Retries that are due and not in flight.
  ///
  /// - Parameter batchMax: the maximum size of a batch that contains a retry with this many deaths.
  func dueRetries(
    of sink: String, now: Instant, limit: Int, batchMax: (_ deaths: Int) -> Int
  ) throws -> [Retry]

  /// When the next retry of each sink is due, not counting retries in flight.
  func nextRetries(of sinks: [String]) throws -> [String: Instant]

  /// Moves all retries to an earlier time by the span.
  func shiftRetries(by span: TimeSpan) throws

  // MARK: - Changed routes

  /// Turns what a lane has queued on a channel into retries that are due now.
  ///
  /// - Parameter sink: the sink that gets the retries; nil makes dead letters.
  func moveBacklog(
    of channel: Channel, after cursor: Int64, from old: String, to sink: String?, now: Instant
  ) throws

  /// The sinks and channels that have retries which are not in flight.
  func carriers() throws -> [(sink: String, channel: Channel)]

  /// Moves retries of a sink on a channel to another sink, except retries in flight.
  ///
  /// - Parameter other: the new sink; nil makes dead letters.
  func moveRetries(of sink: String, on channel: Channel, to other: String?) throws

  /// Deletes retries of notifications after a lane's cursor, such as held deliveries, because the
  /// lane will read these notifications again. Retries on fallback channels stay.
  ///
  /// - Returns: whether there were any.
  func deleteRetries(of sink: String, after cursor: Int64, on channels: ChannelSet) throws -> Bool
}
