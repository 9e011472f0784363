package import CivilTime
package import Reminders

/// What may be asked of a store, all of it of one snapshot. A question changes nothing and has a
/// bound; what it is asked of many at a time costs one round trip.
package protocol StoreReader {
  /// A word that the service keeps for itself, such as what its schedules were planned with.
  func note(_ key: String) throws -> String?

  /// What everybody's schedules are planned with; nil or nothing while that is not the same for
  /// all.
  func plan() throws -> String?

  /// Who works on the store, and who owns what of it; nil in one that is one process's.
  func fleet() throws -> StoredFleet?

  // MARK: - Recipients

  func recipient(named name: String) throws -> StoredRecipient?

  func recipient(row: UInt32) throws -> StoredRecipient?

  /// Reads the recipients of some names, in the order of their rows; those that are not there are
  /// left out.
  func forEachRecipient(
    named names: [String], _ body: (consuming StoredRecipient) -> Void) throws

  /// The recipients of some rows, which are in ascending order, each once; those that are not there
  /// are left out.
  func recipients(rows: ArraySlice<UInt32>) throws -> [StoredRecipient]

  /// The highest row that anybody has; 0 if there is nobody.
  func lastRecipient() throws -> UInt32

  /// The schedules of the recipients in a range of rows, in their order; those that are not there
  /// are left out.
  func forEachSchedule(
    in rows: ClosedRange<UInt32>, _ body: (UInt32, Schedule) -> Void) throws

  /// Those whose names begin with a text, behind a name, in the order of their bytes.
  func recipients(
    beginningWith prefix: String, after last: String?, limit: Int
  ) throws -> [ListedRecipient]

  /// A recipient's events that were received up to an instant, in the order in which they came in.
  ///
  /// - Parameters:
  ///   - last: the latest of all.
  ///   - limit: how many are looked at; a recipient with more of them gets no answer.
  func events(
    through last: Int64, receivedBy end: Instant, limit: Int
  ) throws -> [KeptEvent]?

  /// What apps have submitted of a recipient that was not taken in, and is kept.
  func refusedSubmissions(of recipient: String) throws -> [RefusedSubmission]

  /// A recipient's events, the latest to arrive first.
  ///
  /// - Parameter first: the event to begin with, such as the recipient's last.
  /// - Returns: the events, and the one to go on with; 0 if there is none.
  func events(
    of recipient: UInt32, from first: Int64, limit: Int
  ) throws -> (events: [PastEvent], next: Int64)

  // MARK: - Notifications

  /// Some notifications, by their numbers; those that are not there are left out.
  func notifications(_ numbers: [Int64]) throws -> [Int64: StoredNotification]

  /// The notification of each of some occurrences; nil where there is no outcome.
  func notifications(of occurrences: [OccurrenceKey]) throws -> [Int64?]

  /// The notifications that told of an occurrence, in whichever round and on whichever way out, by
  /// themselves or in a digest.
  func notifications(of reminder: Symbol, key: Int64, row: UInt32) throws -> [Int64]

  /// A recipient's notifications after one, in the order of decision.
  ///
  /// - Returns: the notifications, and the last one's number; nil if there is none.
  func notifications(
    of recipient: UInt32, after number: Int64, limit: Int
  ) throws -> (notifications: [KeptNotification], last: Int64?)

  /// What a recipient was told or was not, the latest first.
  ///
  /// - Parameter start: the notification to begin behind; nil for the latest. Behind one that is
  ///   not the recipient's there is nothing.
  func notificationHistory(
    of stored: StoredRecipient, after start: Int64?, limit: Int
  ) throws -> [HistoryNotification]

  /// The notifications of all recipients before a number, the latest first: a row for each way out
  /// of each.
  ///
  /// - Parameter number: nil for the latest.
  func feed(before number: Int64?, limit: Int) throws -> [FeedNotification]

  /// How far some notifications that went out have come on each of their channels, with what became
  /// of the attempts.
  func deliveryStates(of notifications: [Int64]) throws -> [Int64: [DeliveryState]]

  /// Items of an inbox, the latest first.
  func inbox(row: UInt32, offset: Int, limit: Int) throws -> [InboxItem]

  // MARK: - Streams

  /// The latest notification that the snapshot knows of, be it still there or not; 0 if there was
  /// none.
  func latestNotification() throws -> Int64

  /// Up to which notification some have been removed because of their age; 0 if none have.
  func prunedThrough() throws -> Int64

  /// Follows a recipient's notifications from the latest back.
  ///
  /// - Parameters:
  ///   - first: the one to begin with; nil for the latest.
  ///   - end: those up to here are not asked for.
  func chain(
    of recipient: UInt32, from first: Int64?, downTo end: Int64, limit: Int
  ) throws -> NotificationChain

  /// What of some notifications has gone out, by channel; nothing of those that are not there, are
  /// another's, or did not go out.
  func deliveries(
    of notifications: [Int64], to recipient: UInt32
  ) throws -> [Int64: [Delivery]]

  // MARK: - The outbox

  /// Dead letters in the order of their notifications.
  ///
  /// - Parameters:
  ///   - sink: the last to have had them; nil for any.
  ///   - last: the one to begin behind; nil for the first page.
  func deadLetters(
    of sink: String?, after last: (notification: Int64, channel: Channel)?, limit: Int
  ) throws -> [DeadLetter]

  func deadLetter(_ notification: Int64, _ channel: Channel) throws -> DeadLetter?

  /// Of all sinks, be they still there or not.
  func deadLetterCount() throws -> Int

  /// What waits for some sinks.
  ///
  /// - Parameter lanes: by sink, the place after which the oldest delivery is looked for; nil where
  ///   nobody asks for that.
  func backlogs(of lanes: [String: Int64?]) throws -> [String: LaneBacklog]

  // MARK: - What is old

  /// What `Store.prune` would remove; nothing is changed.
  ///
  /// - Parameters: as of `Store.prune`.
  func prunable(
    _ part: KeptPart, by age: Age, after place: Int64, limit: Int,
    keeping keeps: (StoredRecipient, Symbol, Int64) -> Bool
  ) throws -> Prunable

  // MARK: - Use

  /// The analytics events written after one, in the order of writing.
  ///
  /// - Parameter recipient: whose; nil for everyone's.
  func analytics(
    of recipient: UInt32?, after number: Int64, limit: Int
  ) throws -> [AnalyticsRecord]

  /// How many analytics events were written after one.
  ///
  /// - Parameter limit: how many are looked at.
  func analyticsBacklog(after number: Int64, limit: Int) throws -> AnalyticsBacklog

  /// The counts of use on local dates within a range, both ends in it, summed up by hour.
  func usage(from first: LocalDate, through last: LocalDate) throws -> UsageTable
}
