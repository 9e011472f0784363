package import Access
package import CivilTime
package import Reminders

/// One unit of work. Its queries see the changes that it has made.
package protocol StoreWriter: StoreReader, RecipientWriter, NotificationWriter, OutboxWriter,
  ClockCorrector, SubmissionWriter, ShardWriter
{
  /// Saves values that the service stores for itself, by their keys.
  func save(notes: [String: String]) throws

  /// Returns a value that the service stores for itself. No other node can change it before this
  /// unit of work ends, so the unit of work can save a value that depends on it.
  func noteToChange(_ key: String) throws -> String?

  /// Adds a word to a note, whose words are separated by spaces. Other nodes may add words at the
  /// same time.
  func add(_ word: String, toNote key: String) throws

  /// Records an adoption of catalogs and settings, and the catalogs' text if that text is new.
  func record(_ adoption: Adoption, text: String) throws

  /// Removes the adoptions before an instant, and the texts that no other adoption uses.
  func removeAdoptions(before first: Instant) throws

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

  /// Adds to the usage counts (rule M2). The store has one row for each key, for all recipients
  /// together.
  func add(_ usage: [UsageKey: Int]) throws
}

extension StoreWriter {
  /// Records that a planner's catalogs and settings are adopted at an instant, unless the latest
  /// adoption until then decides alike. Adoptions after that instant were recorded by a wrong
  /// clock, and are replaced too (rule T11).
  package func recordAdoption(of planner: Planner, at now: Instant) throws {
    let adoption = Adoption(of: planner, at: now)
    let adoptions = try adoptions()
    var instants = adoptions.filter { $0.at > now && !$0.decides(like: adoption) }.map(\.at)
    let latest = adoptions.last { $0.at <= now }
    if !(latest?.decides(like: adoption) ?? false) { instants.append(now) }
    for instant in instants {
      try record(Adoption(of: planner, at: instant), text: planner.catalog.storedText)
    }
  }

  /// Removes the adoptions that were no longer current at an instant.
  package func removeAdoptions(replacedBy end: Instant) throws {
    let adoptions = try adoptions()
    guard let current = adoptions.last(where: { $0.at <= end }), current != adoptions.first else {
      return
    }
    try removeAdoptions(before: current.at)
  }

  package func saveNote(_ key: String, _ value: String) throws {
    try save(notes: [key: value])
  }

  package func noteToChange(_ key: String) throws -> String? { try note(key) }

  package func add(_ word: String, toNote key: String) throws {
    let words = Set((try note(key) ?? "").split(separator: " ").map(String.init))
    try saveNote(key, words.union([word]).sorted().joined(separator: " "))
  }
}

/// Corrects records that a wrong clock wrote (rule T11).
package protocol ClockCorrector {
  /// Corrects the times of a recipient's events that were ingested at or after `first`. Events for
  /// which the app gave a time do not change.
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
