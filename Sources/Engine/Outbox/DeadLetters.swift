package import CivilTime
import Outbox
package import Reminders
package import Store

extension Questions {
  func deadLetters(_ query: DeadLettersQuery) throws(StoreError) -> DeadLetterPage {
    try readers.read { try $0.page(query, instance: instance) }
  }

  func deadLetter(_ identifier: String) throws(StoreError) -> DeadLetter? {
    guard let key = DeadLetterID.key(of: identifier, instance: instance) else { return nil }
    return try readers.read { try $0.deadLetter(key.notification, key.channel) }
  }
}

extension StoreReader {
  /// Returns a page of the matching dead letters. The page may be shorter than the limit, because
  /// the search is bounded.
  func page(
    _ query: DeadLettersQuery, instance: String
  ) throws -> DeadLetterPage {
    let after = query.after.flatMap { DeadLetterID.key(of: $0, instance: instance) }
    // A cursor of another store yields an empty page, not the first one.
    guard query.after == nil || after != nil else { return DeadLetterPage() }
    let filter = query.filter
    let countMax = filter.isAppliedByStore ? query.limit : max(query.limit, Self.searchMax)
    let candidates = try deadLetters(of: filter.sink, after: after, limit: countMax + 1)
    let letters = Array(candidates.prefix(countMax).lazy.filter(filter.matches).prefix(query.limit))
    let lastExamined =
      letters.count == query.limit ? letters.last : candidates.prefix(countMax).last
    let isEnd = lastExamined?.identifier == candidates.last?.identifier
    return DeadLetterPage(letters: letters, next: isEnd ? nil : lastExamined?.identifier)
  }

  /// The number of dead letters examined for one filtered page, unless its limit is larger.
  private static var searchMax: Int { 1_000 }
}

extension DeadLetterID {
  /// Returns the notification and channel of a dead letter's id; nil for an id of another store.
  static func key(
    of identifier: String, instance: String
  ) -> (notification: Int64, channel: Channel)? {
    guard let letter = DeadLetterID(identifier), letter.notification.instance == instance else {
      return nil
    }
    return (letter.notification.number, letter.channel)
  }
}

/// A page of dead letters, in the order of their notifications (rule D9).
package struct DeadLetterPage: Sendable {
  package var letters: [DeadLetter]
  /// The cursor of the next page; nil after the last one.
  package var next: String?

  package init(letters: [DeadLetter] = [], next: String? = nil) {
    self.letters = letters
    self.next = next
  }
}

/// An action on dead letters.
package struct DeadLetterWrite: Sendable {
  package enum Action: Sendable {
    /// Dispatches the delivery through the whole route again, if the gates let it pass.
    case resend
    /// Deletes the dead letter without another attempt.
    case discard
  }

  package enum Choice: Sendable {
    /// The dead letter with an id.
    case one(String)
    /// The matching dead letters, one page at a time.
    case page(DeadLettersQuery)
  }

  package var action: Action
  package var choice: Choice

  package init(_ action: Action, _ choice: Choice) {
    self.action = action
    self.choice = choice
  }
}

/// The results of an action on dead letters.
package struct DeadLetterReceipt: Sendable {
  package enum Outcome: Sendable {
    /// The delivery is dispatched again, first to this sink.
    case resent(sink: String)
    /// The delivery is pending, because a gate holds it.
    case held(until: Instant, reasons: [String])
    /// The delivery stays a dead letter: a gate drops it, no sink carries its channel, its
    /// recipient is unknown, or another node owns the recipient.
    case kept(reasons: [String])
    case discarded
  }

  /// The ids of the dead letters with their outcomes, in order.
  package var outcomes: [(letter: String, outcome: Outcome)]
  /// The cursor for the next request; nil at the end.
  package var next: String?

  package init(outcomes: [(letter: String, outcome: Outcome)], next: String?) {
    self.outcomes = outcomes
    self.next = next
  }
}

/// The id of a dead letter, such as `k3x-17.push`: its notification and channel.
package struct DeadLetterID: Hashable, Sendable, CustomStringConvertible {
  package let notification: NotificationID
  package let channel: Channel

  init(_ delivery: Delivery) {
    notification = NotificationID(delivery.instance, delivery.notification)
    channel = delivery.channel
  }

  /// Returns nil unless the text has the form of `description`.
  package init?(_ text: String) {
    guard let dot = text.lastIndex(of: "."),
      let notification = NotificationID(text[..<dot]),
      let channel = Channel(name: String(text[dot...].dropFirst()))
    else { return nil }
    self.notification = notification
    self.channel = channel
  }

  package var description: String { "\(notification).\(channel.name)" }
}

extension DeadLetter {
  package var identifier: String { DeadLetterID(delivery).description }
}
