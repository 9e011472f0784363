package import CivilTime
package import Reminders

/// Writes the state of deliveries on their way to sinks (rule D2).
package protocol OutboxWriter {
  // MARK: - Starts

  /// Counts a start of the service. In SQLite, the number of the start marks retries in flight.
  ///
  /// - Returns: whether the previous process was requested to stop; true for a node of a fleet,
  ///   which has no previous process.
  func beginBoot() throws -> Bool

  /// Records that this process was requested to stop. Then its end does not count as a crash, of
  /// which unanswered deliveries could be the cause.
  func recordStop() throws

  /// Turns orphans into retries that are due now. Orphans are deliveries that an earlier process
  /// dispatched and that no sink has answered. In a fleet this function does nothing: a node gets
  /// orphans when it acquires their shards.
  ///
  /// - Parameter hasCrashed: whether the previous process crashed.
  /// - Returns: the number of retries of each sink.
  func takeOrphans(now: Instant, hasCrashed: Bool) throws -> [String: Int]

  /// Returns the retries that were in flight at several crashes.
  ///
  /// - Parameter deaths: the minimum number of crashes since the sink last answered the delivery.
  func suspects(deaths: Int) throws -> [Retry]

  // MARK: - Lanes

  /// Returns all lanes, which are the queues of sinks, by the names of the sinks.
  func lanes() throws -> [String: StoredLane]

  /// Creates or replaces lanes.
  func save(lanes: [String: StoredLane]) throws

  func deleteLanes(of sinks: [String]) throws

  /// Saves the progress of lanes.
  func save(_ progress: [LaneProgress]) throws

  /// Returns the deliveries after a notification, in order, from at most `limit` notifications.
  ///
  /// - Returns: the deliveries, and the last notification that was read, which is nil if there was
  ///   none.
  func deliveries(
    after notification: Int64, limit: Int, on channels: ChannelSet
  ) throws -> (deliveries: [Delivery], through: Int64?)

  // MARK: - Single deliveries

  /// Returns the notifications that the store contains. Notifications of erased recipients are not
  /// in the store.
  func recorded(among notifications: [Int64]) throws -> Set<Int64>

  /// Returns the notifications of these deliveries whose occurrence has a later record, because it
  /// was sent again after a snooze.
  func replaced(among deliveries: [Delivery]) throws -> Set<Int64>

  /// Returns the progress of notifications. Missing notifications are omitted.
  func channelProgress(of notifications: [Int64]) throws -> [Int64: ChannelProgress]

  /// Saves changes to deliveries.
  func save(_ changes: DeliveryChanges) throws

  /// Returns retries that are due and not in flight.
  ///
  /// - Parameter batchMax: returns the maximum size of a batch that contains a retry with a given
  ///   number of `deaths`. Deaths are crashes of the service while the delivery was in flight.
  func dueRetries(
    of sink: String, now: Instant, limit: Int, batchMax: (_ deaths: Int) -> Int
  ) throws -> [Retry]

  /// Returns when the next retry of each sink is due. Retries in flight do not count.
  func nextRetries(of sinks: [String]) throws -> [String: Instant]

  /// Makes all retries due earlier by a span.
  func shiftRetries(by span: TimeSpan) throws

  // MARK: - Changed routes

  /// Turns the queued deliveries of a lane on a channel into retries that are due now.
  ///
  /// - Parameter newSink: the sink that gets the retries. If nil, they become dead letters, except
  ///   on the channel `inapp`, which needs no sink.
  func moveBacklog(
    of channel: Channel, after cursor: Int64, from oldSink: String, to newSink: String?,
    now: Instant
  ) throws

  /// Returns each pair of a sink and a channel for which there are retries that are not in flight.
  func retryPairs() throws -> [(sink: String, channel: Channel)]

  /// Moves retries of a sink on a channel to another sink, for which their attempts count from 0.
  /// Retries in flight stay. Withdrawals are deleted, because only the old sink could carry them
  /// out.
  ///
  /// - Parameter newSink: if nil, the retries become dead letters.
  func moveRetries(of sink: String, on channel: Channel, to newSink: String?) throws

  /// Deletes retries of notifications after a lane's cursor, such as deliveries that a gate holds
  /// back. The lane will read these notifications again. Dead letters and retries on fallback
  /// channels stay.
  ///
  /// - Returns: whether there were such retries.
  func deleteRetries(of sink: String, after cursor: Int64, on channels: ChannelSet) throws -> Bool
}
