package import CivilTime
package import Reminders

/// Queries on one snapshot of a store. They are bounded, and those that accept several keys cost
/// one round trip.
package protocol StoreReader {
  /// A value that the service stores for itself, such as the fingerprint of its schedules.
  func note(_ key: String) throws -> String?

  /// The fingerprint with which all schedules were planned; nil or empty while schedules have
  /// different ones.
  func plan() throws -> String?

  /// The nodes and their shards; nil in a store of a single process.
  func fleet() throws -> StoredFleet?

  // MARK: - Recipients

  func recipient(named name: String) throws -> StoredRecipient?

  func recipient(row: UInt32) throws -> StoredRecipient?

  /// The recipients with these names, in the order of their rows. Missing ones are left out.
  func forEachRecipient(
    named names: [String], _ body: (consuming StoredRecipient) -> Void) throws

  /// The recipients in these rows, which must ascend without repetition. Missing ones are left out.
  func recipients(rows: ArraySlice<UInt32>) throws -> [StoredRecipient]

  /// The highest row of a recipient; 0 if there is none.
  func lastRecipient() throws -> UInt32

  /// The schedules of the recipients in a range of rows, in order. Missing ones are left out.
  func forEachSchedule(
    in rows: ClosedRange<UInt32>, _ body: (UInt32, Schedule) -> Void) throws

  /// Recipients whose names begin with a prefix and follow `last`, ordered by bytes.
  func recipients(
    beginningWith prefix: String, after last: String?, limit: Int
  ) throws -> [ListedRecipient]

  /// A recipient's events received up to an instant, in the order of arrival.
  ///
  /// - Parameters:
  ///   - last: the recipient's latest event.
  ///   - limit: the maximum number of events to look at. With more, the result is nil.
  func events(
    through last: Int64, receivedBy end: Instant, limit: Int
  ) throws -> [StoredEvent]?

  /// Stored submissions about a recipient that were rejected, in the order of their numbers.
  ///
  /// - Parameters:
  ///   - number: the submission to continue after; 0 to begin.
  ///   - bytes: the total size of texts at which reading stops. At least one submission is read.
  func refusedSubmissions(
    of recipient: String, after number: Int64, bytes: Int
  ) throws -> [RefusedSubmission]

  /// A recipient's events, the latest first.
  ///
  /// - Parameter first: the event to begin with, such as the recipient's last.
  /// - Returns: the events, and the event to continue with; 0 if there is none.
  func events(
    of recipient: UInt32, from first: Int64, limit: Int
  ) throws -> (events: [PastEvent], next: Int64)

  // MARK: - Notifications

  /// Notifications by number. Missing ones are left out.
  func notifications(_ numbers: [Int64]) throws -> [Int64: StoredNotification]

  /// The notification of each occurrence; nil where there is no outcome.
  func notifications(of occurrences: [OccurrenceKey]) throws -> [Int64?]

  /// The notifications about an occurrence, in any round and channel group, alone or in a digest.
  func notifications(of reminder: Symbol, key: Int64, row: UInt32) throws -> [Int64]

  /// A recipient's notifications after the given number, in the order of decision.
  ///
  /// - Returns: the notifications, and the last one's number; nil if there is none.
  func notifications(
    of recipient: UInt32, after number: Int64, limit: Int
  ) throws -> (notifications: [KeptNotification], last: Int64?)

  /// A recipient's notifications, sent or not, the latest first.
  ///
  /// - Parameter start: the notification to begin after; nil to begin with the latest. The result
  ///   is empty if that notification is not the recipient's.
  func notificationHistory(
    of stored: StoredRecipient, after start: Int64?, limit: Int
  ) throws -> [HistoryNotification]

  /// The notifications of all recipients before a number, the latest first, with one row for each
  /// channel group.
  ///
  /// - Parameter number: nil for the latest.
  func feed(before number: Int64?, limit: Int) throws -> [FeedNotification]

  /// The state of each delivery of sent notifications, with its attempts.
  func deliveryStates(of notifications: [Int64]) throws -> [Int64: [DeliveryState]]

  /// Items of an inbox, the latest first.
  func inbox(row: UInt32, offset: Int, limit: Int) throws -> [InboxItem]

  // MARK: - Streams

  /// The number of the latest notification in the snapshot, whether or not it still exists; 0 if
  /// there was none.
  func latestNotification() throws -> Int64

  /// The highest notification that was removed by age; 0 if none was.
  func prunedThrough() throws -> Int64

  /// Follows a recipient's notifications from the latest backwards.
  ///
  /// - Parameters:
  ///   - first: the notification to begin with; nil for the latest.
  ///   - end: notifications up to this one are not needed.
  func chain(
    of recipient: UInt32, from first: Int64?, downTo end: Int64, limit: Int
  ) throws -> NotificationChain

  /// Deliveries of notifications by number. Notifications that are missing, are another recipient's
  /// or were not sent are left out.
  func deliveries(
    of notifications: [Int64], to recipient: UInt32
  ) throws -> [Int64: [Delivery]]

  // MARK: - The outbox

  /// Dead letters in the order of their notifications.
  ///
  /// - Parameters:
  ///   - sink: the last sink that had them; nil for any.
  ///   - last: the dead letter to begin after; nil for the first page.
  func deadLetters(
    of sink: String?, after last: (notification: Int64, channel: Channel)?, limit: Int
  ) throws -> [DeadLetter]

  func deadLetter(_ notification: Int64, _ channel: Channel) throws -> DeadLetter?

  /// The number of dead letters of all sinks, including removed sinks, up to a limit.
  func deadLetterCount(limit: Int) throws -> Int

  /// The deliveries that wait for each sink.
  ///
  /// - Parameters:
  ///   - lanes: by sink, the position after which to look for the oldest delivery; nil to skip
  ///     that.
  ///   - limit: the number up to which the retries and the dead letters of a sink are counted.
  func backlogs(of lanes: [String: Int64?], limit: Int) throws -> [String: LaneBacklog]

  // MARK: - Pruning

  /// Returns a forecast of the rows that `Store.prune` would remove.
  ///
  /// - Parameters: see `Store.prune`.
  func prunable(
    _ part: RetentionPart, by age: Age, after cursor: Int64, limit: Int,
    keeping keeps: (StoredRecipient, Symbol, Int64) -> Bool
  ) throws -> Prunable

  // MARK: - Usage

  /// The analytics events after the given number, in the order of writing.
  ///
  /// - Parameter recipient: their recipient; nil for all.
  func analytics(
    of recipient: UInt32?, after number: Int64, limit: Int
  ) throws -> [AnalyticsRecord]

  /// Counts the analytics events after the given number.
  ///
  /// - Parameter limit: the maximum number to look at.
  func analyticsBacklog(after number: Int64, limit: Int) throws -> AnalyticsBacklog

  /// The usage counts of a range of local dates, both included: for each hour of the day, sums over
  /// the dates.
  func usage(from first: LocalDate, through last: LocalDate) throws -> UsageTable
}

extension StoreReader {
  /// The number of dead letters of all sinks, up to `LaneBacklog.countMax`.
  package func deadLetterCount() throws -> Int {
    try deadLetterCount(limit: LaneBacklog.countMax)
  }

  /// The deliveries that wait for each sink, counted up to `LaneBacklog.countMax`.
  package func backlogs(of lanes: [String: Int64?]) throws -> [String: LaneBacklog] {
    try backlogs(of: lanes, limit: LaneBacklog.countMax)
  }
}
