package import CivilTime
package import Reminders

/// Writes incoming events and their recipients.
package protocol RecipientWriter {
  /// Announces the rows of the next `recipients(rows:)`, so that a remote store can read them in
  /// advance. Between the two calls, these recipients must not be written.
  func expect(rows: ArraySlice<UInt32>) throws

  /// Looks up the events of consecutive requests, and returns what `match` needs from disk.
  func lookups(of requests: [[Event]]) throws -> [EventLookup]

  /// Compares an event with earlier events (rule E1), including the events of this unit of work.
  ///
  /// - Parameter lookup: the event's result of `lookups(of:)` in this unit of work, which saves a
  ///   round trip; nil for a single event.
  func match(_ event: Event, at lookup: EventLookup?) throws -> EventMatch

  /// Returns the arrival numbers of the events with these identities, in the given order; nil for
  /// events that are not stored.
  func orders(of identities: [EventIdentity]) throws -> [Int64?]

  /// Returns the events with these arrival numbers, in the given order. Events that are no longer
  /// stored are omitted.
  func events(orders: [Int64]) throws -> [StoredEvent]

  /// Returns when the recipients with these names were last erased. Names that were never erased
  /// are omitted.
  func erasures(of names: [String]) throws -> [String: Instant]

  /// Adds an event for which `match` returned `new`. The call costs no round trip, because a unit
  /// of work writes its events together.
  ///
  /// - Parameters:
  ///   - slot: the slot that `match` returned.
  ///   - row: the recipient's row.
  ///   - previous: the arrival number of the recipient's previous event; 0 if there is none.
  ///   - received: when the service received the event.
  /// - Returns: the arrival number of the event.
  func append(
    _ event: Event, slot: Int64, row: UInt32, previous: Int64, received: Instant
  ) throws -> Int64

  /// Assigns a row to a new recipient; `save` writes the recipient.
  func admit(_ recipient: Recipient) -> StoredRecipient

  /// Saves recipients, whose rows must ascend: changed facts, progress and schedules.
  func save(_ recipients: [StoredRecipient], _ schedules: [Schedule]) throws

  /// Saves the telephone number by which a recipient is found; nil for none.
  func savePhone(_ number: PhoneNumber?, of stored: StoredRecipient) throws

  /// Saves the base of a recipient's facts.
  func save(_ base: FactBase, of stored: StoredRecipient) throws

  /// Removes a recipient with all the recipient's data and notifications (rule H4).
  ///
  /// Two things remain, which do not reveal the erased data. Hashes of the recipient's events serve
  /// to recognize repetitions. The time of the erasure, under a hash of the name, keeps older
  /// events from creating the recipient again. The numbers of the recipient's row, events and
  /// notifications are not assigned again.
  ///
  /// - Parameter time: when the erasure was requested.
  func erase(_ stored: StoredRecipient, at time: Instant) throws

  /// Erases texts about an erased person (rule E12). Empties the messages of a recipient's
  /// notifications, except messages with words of the catalog alone. Replaces the data of the
  /// recipient's events.
  ///
  /// - Parameters:
  ///   - notifications: the numbers of the notifications.
  ///   - events: the new data by the events' arrival numbers.
  func eraseTexts(
    of notifications: [Int64], events: [Int64: [UInt8]], of stored: StoredRecipient) throws
}

extension RecipientWriter {
  /// Does nothing, because a local store reads on demand.
  package func expect(rows: ArraySlice<UInt32>) {}
}
