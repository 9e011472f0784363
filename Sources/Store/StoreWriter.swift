package import Access
package import CivilTime
package import Reminders

/// One unit of work. Its queries see the changes that it has made.
package protocol StoreWriter: StoreReader, RecipientWriter, NotificationWriter, OutboxWriter,
  ClockCorrector, SubmissionWriter, ShardWriter
{
  /// Saves values that the service stores for itself.
  func save(notes: [String: String]) throws

  /// Adds a word to a note, whose words are separated by spaces. Other nodes may add words at the
  /// same time.
  func add(_ word: String, toNote key: String) throws

  /// Returns the time of the latest record since the clock was last trusted; nil in a store without
  /// records. A node of a fleet also gets nil, because several clocks have written the records.
  func newestRecord() throws -> Instant?

  /// Records that the clock is correct, so that `newestRecord` ignores earlier records.
  func trustClock(at now: Instant) throws

  /// Returns all tokens ever created, except the tokens of erased recipients.
  func tokens() throws -> [TokenRecord]

  /// Saves new or changed tokens.
  func save(tokens: [TokenRecord]) throws

  /// Returns a token by its identifier; nil if there is none.
  func token(_ identifier: String) throws -> TokenRecord?

  /// Saves the analytics events of a change to a recipient (rule M1).
  func append(_ events: [AnalyticsEvent], of recipient: UInt32) throws

  /// Adds to the usage counts (rule M2). Each key has one row for all recipients together.
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

/// Corrects records that a wrong clock wrote (rule T11).
package protocol ClockCorrector {
  /// Corrects the times of a recipient's events that were ingested at or after an instant and for
  /// which the app gave no time.
  ///
  /// - Parameter correction: returns the correct time for a recorded time; nil if the recorded time
  ///   is correct.
  /// - Returns: the corrected times by arrival number.
  /// - Complexity: one lookup for each of the recipient's events since `first`.
  func correctTimes(
    of stored: StoredRecipient, since first: Instant, _ correction: (Instant) -> Instant?
  ) throws -> [Int64: CorrectedTime]

  /// Returns all stored events of a recipient, in the order of arrival.
  func allEvents(of stored: StoredRecipient) throws -> [StoredEvent]

  /// Changes the keys of a recipient's occurrences that were decided after an instant.
  ///
  /// - Parameter keys: the new keys, by the old keys.
  func renameOccurrences(
    of stored: StoredRecipient, after first: Instant, _ keys: [Int64: Int64]) throws

  /// Lowers the times of erasures to at most this instant. Otherwise later events would be rejected
  /// as older than the erasure.
  func limitErasureTimes(by latest: Instant) throws
}
