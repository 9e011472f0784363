package import Access
package import CivilTime
package import Reminders

/// The functions of one unit of work. Reads see its own writes.
package protocol StoreWriter: StoreReader, RecipientWriter, NotificationWriter, OutboxWriter,
  ClockCorrector, SubmissionWriter, ShardWriter
{
  /// Saves values for the service itself.
  func save(notes: [String: String]) throws

  /// Adds a word to a note that holds words separated by spaces. Safe with concurrent additions.
  func add(_ word: String, toNote key: String) throws

  /// The time of the latest record since the clock was last trusted; nil in a store without
  /// records.
  func newestRecord() throws -> Instant?

  /// Records that the clock is correct: earlier records no longer count against it.
  func trustClock(at now: Instant) throws

  /// All tokens ever created, except those of erased recipients.
  func tokens() throws -> [TokenRecord]

  /// Saves new or changed tokens.
  func save(tokens: [TokenRecord]) throws

  func token(_ identifier: String) throws -> TokenRecord?

  /// Saves the analytics events of a change to a recipient (rule M1).
  func append(_ events: [AnalyticsEvent], of recipient: UInt32) throws

  /// Adds to the usage counts (rule M2): one row for each key, over all recipients.
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

/// Writes incoming events and their recipients.
package protocol RecipientWriter {
  /// Announces the rows of the next `recipients(rows:)`, so that a remote store can read them in
  /// the meantime. These recipients must not be written in between.
  func expect(rows: ArraySlice<UInt32>) throws

  /// Looks up the events of consecutive requests: all that `match` needs from disk.
  func lookups(of requests: [[Event]]) throws -> [EventLookup]

  /// Compares an event with earlier ones (rule E1), including those of this unit of work.
  ///
  /// - Parameter lookup: the event's result of `lookups(of:)` in this unit of work, which saves a
  ///   round trip. Nil for a single event.
  func match(_ event: Event, at lookup: EventLookup?) throws -> EventMatch

  /// The arrival numbers of the events with these identities; nil for events that are not stored.
  func orders(of identities: [EventIdentity]) throws -> [Int64?]

  /// Events by their arrival numbers, in that order. Events that are no longer stored are left out.
  func events(orders: [Int64]) throws -> [StoredEvent]

  /// When the recipients with these names were last erased. Names never erased are left out.
  func erasures(of names: [String]) throws -> [String: Instant]

  /// Adds an event that `match` found new. Costs no round trip: a unit of work writes its events
  /// together.
  ///
  /// - Returns: its arrival number.
  func append(
    _ event: Event, slot: Int64, row: UInt32, previous: Int64, received: Instant
  ) throws -> Int64

  /// Assigns a row to a new recipient; `save` writes it.
  func admit(_ recipient: Recipient) -> StoredRecipient

  /// Saves recipients, whose rows must ascend: changed facts, their progress and their schedules.
  func save(_ recipients: [StoredRecipient], _ schedules: [Schedule]) throws

  /// Removes a recipient with all their data and notifications (rule H4).
  ///
  /// What remains are hashes of their events, to recognize repetitions, and the time when the name
  /// was erased, so that older events do not recreate the recipient. Nothing can be read from
  /// either. The numbers of their row, events and notifications are not assigned again.
  ///
  /// - Parameter time: when the erasure was requested.
  func erase(_ stored: StoredRecipient, at time: Instant) throws
}

extension RecipientWriter {
  /// Does nothing: a local store reads on demand.
  package func expect(rows: ArraySlice<UInt32>) {}
}

/// Corrects records that a wrong clock wrote (rule T11).
package protocol ClockCorrector {
  /// Corrects the times of a recipient's events that came without a time and were ingested at or
  /// after an instant.
  ///
  /// - Parameter correction: the right time for a recorded one; nil if it is right.
  /// - Returns: the corrected times by arrival number.
  /// - Complexity: one lookup for each of the recipient's events since then.
  func correctTimes(
    of stored: StoredRecipient, since first: Instant, _ correction: (Instant) -> Instant?
  ) throws -> [Int64: CorrectedTime]

  /// All stored events of a recipient, in the order of arrival.
  func allEvents(of stored: StoredRecipient) throws -> [StoredEvent]

  /// Changes the keys of a recipient's occurrences that were decided after an instant.
  func renameOccurrences(
    of stored: StoredRecipient, after first: Instant, _ keys: [Int64: Int64]) throws

  /// Limits erasure times to an instant: otherwise later events would be rejected as older than the
  /// erasure.
  func boundErasures(by latest: Instant) throws
}
