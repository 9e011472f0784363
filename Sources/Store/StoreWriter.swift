package import Access
package import CivilTime
package import Reminders

/// The verbs of one unit of work, in the domain's words. It sees what it has written itself.
package protocol StoreWriter: StoreReader, RecipientWriter, NotificationWriter, OutboxWriter,
  ClockCorrector, SubmissionWriter, ShardWriter
{
  /// Keeps words for the service itself.
  func save(notes: [String: String]) throws

  /// Adds a word to a note that is words with spaces between, whoever adds others at the same time.
  func add(_ word: String, toNote key: String) throws

  /// The time of the last thing that was recorded since the clock was last taken for right; nil in
  /// a store that has recorded nothing.
  func newestRecord() throws -> Instant?

  /// Notes that the clock is right now: what was recorded before does not count against it.
  func trustClock(at now: Instant) throws

  /// Every token that was ever made, but for those of recipients who were erased.
  func tokens() throws -> [TokenRecord]

  /// Writes tokens, be they new or changed.
  func save(tokens: [TokenRecord]) throws

  /// A token by its identifier.
  func token(_ identifier: String) throws -> TokenRecord?

  /// Keeps what a change of a recipient's has told (rule M1).
  func append(_ events: [AnalyticsEvent], of recipient: UInt32) throws

  /// Adds to the counts of use (rule M2): one row for each key, whoever it was counted of.
  func add(_ usage: [UsageKey: Int]) throws
}

extension StoreWriter {
  package func saveNote(_ key: String, _ value: String) throws {
    try save(notes: [key: value])
  }

  package func add(_ word: String, toNote key: String) throws {
    let words = Set((try note(key) ?? "").split(separator: " ").map(String.init))
    try saveNote(key, words.union([word]).sorted().joined(separator: " "))
  }
}

/// Events that come in, and the recipients that they are about.
package protocol RecipientWriter {
  /// Says which rows `recipients(rows:)` is asked for next, so that a store elsewhere can read them
  /// while something else is done. Nothing of theirs may be written in between.
  func expect(rows: ArraySlice<UInt32>) throws

  /// Looks up what is known of the events of some requests, one after the other: what `match` needs
  /// of the disk.
  func places(of requests: [[Event]]) throws -> [EventPlace]

  /// Compares an event with what came before (rule E1), in this unit of work too.
  ///
  /// - Parameter place: the event's, looked up in this unit of work with others: then it costs no
  ///   round trip. Nil for an event by itself.
  func match(_ event: Event, at place: EventPlace?) throws -> EventMatch

  /// The places in the order of arrival of the events of some identities; nil for what is not kept.
  func orders(of identities: [EventIdentity]) throws -> [Int64?]

  /// Some events by their places in the order of arrival, in that order; those that are not kept
  /// any more are left out.
  func events(orders: [Int64]) throws -> [KeptEvent]

  /// When recipients of some names were last erased; nothing of those who never were.
  func erasures(of names: [String]) throws -> [String: Instant]

  /// Takes in an event that `match` found new. The events of a unit of work are written together:
  /// it costs no round trip.
  ///
  /// - Returns: its place in the order of arrival.
  func append(
    _ event: Event, slot: Int64, row: UInt32, previous: Int64, received: Instant
  ) throws -> Int64

  /// Gives a recipient who is not there yet a row, which `save` writes.
  func admit(_ recipient: Recipient) -> StoredRecipient

  /// Writes recipients, whose rows ascend: their facts if there is news, how far each has come, and
  /// the schedule of each.
  func save(_ recipients: [StoredRecipient], _ schedules: [Schedule]) throws

  /// Removes a recipient with everything that is known of them and was said to them (rule H4).
  ///
  /// What remains: of their events what tells a repetition from news, and when who had the name was
  /// erased, so that what is older does not bring them back; both so that nothing can be read from
  /// it. No number of theirs is given out again.
  ///
  /// - Parameter time: when they wanted it.
  func erase(_ stored: StoredRecipient, at time: Instant) throws
}

extension RecipientWriter {
  /// A store that is at hand looks when it is asked.
  package func expect(rows: ArraySlice<UInt32>) {}
}

/// What corrects what a wrong clock has written (rule T6).
package protocol ClockCorrector {
  /// Corrects the times of a recipient's events that came without one, as far as they were taken in
  /// at an instant or later.
  ///
  /// - Parameter correction: what a time is by a right clock; nil if it is right.
  /// - Returns: the times that were corrected, by the events' places in the order of arrival.
  /// - Complexity: a look-up for each of the recipient's events since.
  func correctTimes(
    of stored: StoredRecipient, since first: Instant, _ correction: (Instant) -> Instant?
  ) throws -> [Int64: CorrectedTime]

  /// All events of a recipient that are kept, in the order of arrival.
  func allEvents(of stored: StoredRecipient) throws -> [KeptEvent]

  /// Gives occurrences of a recipient that were decided after an instant other keys, so that they
  /// are known by what they are called now.
  func renameOccurrences(
    of stored: StoredRecipient, after first: Instant, _ keys: [Int64: Int64]) throws

  /// Lets no erasure be later than an instant: what is told from then on would be refused as older.
  func boundErasures(by latest: Instant) throws
}

/// What is decided, and what people do with it.
package protocol NotificationWriter {
  /// The latest number that a notification was given, be it still there or not; 0 if none was. One
  /// that was given in a unit of work which failed may be left out.
  var lastNotification: Int64 { get }

  /// How many notifications of one's own there are after one: numbers may have been left out.
  ///
  /// - Complexity: O(*n*) of them.
  func notificationCount(after notification: Int64) throws -> Int

  /// Records outcomes, each after those before it: in the chain of its recipient, and in the inbox
  /// if that is where it went (rule D1).
  ///
  /// - Parameters:
  ///   - notifications: those of a recipient stand together.
  ///   - batch: the recipients; their counts are brought up to date, and are to be saved.
  /// - Returns: for each the notification's number, or nil if the occurrence has an outcome already
  ///   that it does not replace (`Outcome.replaces`): then it must not go out again.
  func record(
    _ notifications: [NotificationRecord], of batch: inout [StoredRecipient]
  ) throws -> [Int64?]

  /// The occurrences of a recipient that were dropped after a notification, in that order.
  func drops(of stored: StoredRecipient, after last: Int64) throws -> [DroppedOccurrence]

  /// Marks items of the recipient's inbox as read, and closes the batches that they tell of.
  ///
  /// - Returns: how many of them there are.
  func read(
    _ notifications: [Int64], of stored: inout StoredRecipient, now: Instant
  ) throws -> Int

  func readAll(of stored: inout StoredRecipient, now: Instant) throws

  /// Takes what was delivered out of what is recent, and out of the inbox.
  ///
  /// - Returns: whether it was there.
  func dismiss(
    _ notification: Int64, of stored: inout StoredRecipient, now: Instant
  ) throws -> Bool

  /// What a recipient has not dismissed, the latest first.
  ///
  /// - Parameter most: how many notifications are looked at.
  func recent(
    of stored: StoredRecipient, most: Int
  ) throws -> [(category: String, channels: ChannelSet)]

  /// Takes everything that was delivered out of what is recent, and out of the inbox.
  ///
  /// - Returns: how many there were.
  func clear(_ stored: inout StoredRecipient) throws -> Int
}
