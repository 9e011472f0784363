package import CivilTime
package import Reminders

/// The queries on one snapshot of a store. Every query is bounded, and a query for several keys
/// costs one round trip.
package protocol StoreReader {
  /// Returns a value that the service stores for itself, such as the fingerprint of its schedules.
  func note(_ key: String) throws -> String?

  /// Returns the fingerprint of the catalogs, zones and settings with which all schedules were
  /// planned. Returns nil or an empty text while schedules have different fingerprints.
  func plan() throws -> String?

  /// Returns the nodes and their shards; nil in a store of a single process.
  func fleet() throws -> StoredFleet?

  /// Returns the stored adoptions of catalogs and settings, in the order of their times.
  func adoptions() throws -> [Adoption]

  /// Returns the text of adopted catalogs by their fingerprint (`Catalog.storedText`); nil if it is
  /// not stored.
  func adoptedText(of catalogs: String) throws -> String?

  // MARK: - Recipients

  func recipient(named name: String) throws -> StoredRecipient?

  func recipient(row: UInt32) throws -> StoredRecipient?

  /// Calls `body` with the recipients with these names, in the order of their rows. Missing
  /// recipients are omitted.
  func forEachRecipient(
    named names: [String], _ body: (consuming StoredRecipient) -> Void) throws

  /// Returns the recipients in these rows, which must ascend without repetition. Missing recipients
  /// are omitted.
  func recipients(rows: ArraySlice<UInt32>) throws -> [StoredRecipient]

  /// Returns the bases of recipients' facts, by row. A base contains the effects of the events that
  /// were removed by age. Recipients without removed events are omitted.
  func factBases(of rows: [UInt32]) throws -> [UInt32: FactBase]

  /// Returns the rows of recipients whose bases contain requests that expired before an instant,
  /// those that expired first at the beginning. In a fleet these are recipients of this node.
  func recipientsOfBases(expiredBefore end: Instant, limit: Int) throws -> [UInt32]

  /// Returns the rows of the recipients whose telephone numbers have the same hash as `number`, in
  /// ascending order. The caller compares the numbers themselves.
  func rows(of number: PhoneNumber, limit: Int) throws -> [UInt32]

  /// Returns the highest row of a recipient; 0 if there is none.
  func lastRecipient() throws -> UInt32

  /// Calls `body` with the schedules of the recipients in a range of rows, in order. Missing
  /// recipients are omitted.
  func forEachSchedule(
    in rows: ClosedRange<UInt32>, _ body: (UInt32, Schedule) -> Void) throws

  /// Returns recipients whose names begin with a prefix and follow `last`, ordered by bytes.
  func recipients(
    beginningWith prefix: String, after last: String?, limit: Int
  ) throws -> [ListedRecipient]

  /// Returns a recipient's events received up to an instant, back to the latest removed event.
  ///
  /// - Parameters:
  ///   - last: the recipient's latest event.
  ///   - limit: the maximum number of events to read. If there are more, the result is nil.
  func events(
    through last: Int64, receivedBy end: Instant, limit: Int
  ) throws -> EventHistory?

  /// Returns the stored submissions about a recipient that were rejected, in the order of their
  /// numbers. A submission is an event that an app has inserted into the store.
  ///
  /// - Parameters:
  ///   - number: the submission after which to continue; 0 to begin with the first.
  ///   - bytes: the total size of texts in bytes at which reading stops. At least one submission is
  ///     read.
  func refusedSubmissions(
    of recipient: String, after number: Int64, bytes: Int
  ) throws -> [RefusedSubmission]

  /// Returns a recipient's events, the latest first.
  ///
  /// - Parameter first: the event to begin with, such as the recipient's last.
  /// - Returns: the events, and the event to continue with; 0 if there is none.
  func events(
    of recipient: UInt32, from first: Int64, limit: Int
  ) throws -> (events: [PastEvent], next: Int64)

  // MARK: - Notifications

  /// Returns notifications by number. Missing notifications are omitted.
  func notifications(_ numbers: [Int64]) throws -> [Int64: StoredNotification]

  /// Returns the notification of each occurrence; nil for an occurrence without an outcome.
  func notifications(of occurrences: [OccurrenceKey]) throws -> [Int64?]

  /// Returns the notifications about an occurrence, in any channel group, individual or in a
  /// digest. If the occurrence was sent again, such as after a snooze, all its notifications are
  /// included.
  func notifications(of reminder: Symbol, key: Int64, row: UInt32) throws -> [Int64]

  /// Returns a recipient's notifications after the given number, in the order in which they were
  /// decided.
  ///
  /// - Returns: the notifications, and the number of the last one, which is nil if there are none.
  func notifications(
    of recipient: UInt32, after number: Int64, limit: Int
  ) throws -> (notifications: [RecordedNotification], last: Int64?)

  /// Returns a recipient's notifications, sent or not, the latest first.
  ///
  /// - Parameter start: the last notification of the previous page; nil to begin with the latest.
  ///   The result is empty if that notification is not the recipient's.
  func notificationHistory(
    of stored: StoredRecipient, after start: Int64?, limit: Int
  ) throws -> [HistoryNotification]

  /// Returns the notifications of all recipients before a number, the latest first, with one row
  /// for each channel group.
  ///
  /// - Parameter number: the number before which to begin; nil to begin with the latest.
  func feed(before number: Int64?, limit: Int) throws -> [FeedNotification]

  /// Returns the state of each delivery of sent notifications, with its attempts.
  func deliveryStates(of notifications: [Int64]) throws -> [Int64: [DeliveryState]]

  /// Returns items of an inbox, the latest first.
  ///
  /// - Parameters:
  ///   - last: the notification of the previous page's last item. That item and all newer ones are
  ///     left out; nil to begin with the latest.
  ///   - offset: the number of further items that are left out.
  func inbox(row: UInt32, after last: Int64?, offset: Int, limit: Int) throws -> [InboxItem]

  // MARK: - Streams

  /// Returns the number of the latest notification in the snapshot, even if that notification was
  /// removed; 0 if there was none.
  func latestNotification() throws -> Int64

  /// Returns the number of the highest notification that was removed by age; 0 if none was removed.
  func prunedThrough() throws -> Int64

  /// Returns a recipient's notifications, beginning with the latest.
  ///
  /// - Parameters:
  ///   - first: the notification to begin with; nil to begin with the latest.
  ///   - end: notifications up to this number are not returned.
  func chain(
    of recipient: UInt32, from first: Int64?, downTo end: Int64, limit: Int
  ) throws -> NotificationChain

  /// Returns the deliveries of notifications by number. Notifications that are missing, belong to
  /// another recipient or were not sent are omitted.
  func deliveries(
    of notifications: [Int64], to recipient: UInt32
  ) throws -> [Int64: [Delivery]]

  // MARK: - The outbox

  /// Returns dead letters, which are deliveries with no attempts left, in the order of their
  /// notifications.
  ///
  /// - Parameters:
  ///   - sink: the last sink that had the dead letters; nil for all sinks.
  ///   - last: the dead letter after which to begin; nil to begin with the first.
  func deadLetters(
    of sink: String?, after last: (notification: Int64, channel: Channel)?, limit: Int
  ) throws -> [DeadLetter]

  func deadLetter(_ notification: Int64, _ channel: Channel) throws -> DeadLetter?

  /// Counts the dead letters of all sinks, including removed sinks, up to a limit.
  func deadLetterCount(limit: Int) throws -> Int

  /// Returns the number of deliveries that wait for each sink.
  ///
  /// - Parameters:
  ///   - lanes: by sink, the cursor after which the oldest delivery is searched; nil to omit this
  ///     search.
  ///   - limit: the number up to which the retries and the dead letters of a sink are counted.
  func backlogs(of lanes: [String: Int64?], limit: Int) throws -> [String: LaneBacklog]

  // MARK: - Pruning

  /// Returns a forecast of the rows that `Store.prune` would remove.
  ///
  /// - Parameters: the parameters of `Store.prune`.
  func prunable(
    _ part: RetentionPart, by age: Age, after cursor: Int64, limit: Int,
    keeping keeps: (StoredRecipient, Symbol, Int64) -> Bool
  ) throws -> Prunable

  // MARK: - Usage

  /// Returns the analytics events after the given number, in the order of writing.
  ///
  /// - Parameter recipient: the recipient of the events; nil for all recipients.
  func analytics(
    of recipient: UInt32?, after number: Int64, limit: Int
  ) throws -> [AnalyticsRecord]

  /// Counts the analytics events that belong to `part` and have a higher number than the given one.
  ///
  /// - Parameter limit: the maximum number of events to count.
  func analyticsBacklog(
    of part: AnalyticsPart, after number: Int64, limit: Int
  ) throws -> AnalyticsBacklog

  /// Returns the usage counts of a range of local dates, which includes `first` and `last`. The
  /// counts are sums over the dates for each hour of the day.
  func usage(from first: LocalDate, through last: LocalDate) throws -> UsageTable
}

extension StoreReader {
  /// Returns the number of dead letters of all sinks, up to `LaneBacklog.countMax`.
  package func deadLetterCount() throws -> Int {
    try deadLetterCount(limit: LaneBacklog.countMax)
  }

  /// Returns the number of deliveries that wait for each sink, counted up to
  /// `LaneBacklog.countMax`.
  package func backlogs(of lanes: [String: Int64?]) throws -> [String: LaneBacklog] {
    try backlogs(of: lanes, limit: LaneBacklog.countMax)
  }
}
