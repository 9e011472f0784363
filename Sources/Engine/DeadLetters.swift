package import CivilTime
package import Reminders
package import Store

/// Which dead letters are asked for.
package struct DeadLetterQuestion: Sendable {
  /// The last sink that had them; nil for any.
  package var sink: String?
  /// Where the page before ended.
  package var after: String?
  package var limit: Int

  package init(sink: String? = nil, after: String? = nil, limit: Int = 100) {
    self.sink = sink
    self.after = after
    self.limit = limit
  }
}

/// Some dead letters, the first to be decided first (rule D2).
package struct DeadLetterPage: Sendable {
  package var letters: [DeadLetter]
  /// Where the next page begins; nil after the last one.
  package var next: String?

  package init(letters: [DeadLetter] = [], next: String? = nil) {
    self.letters = letters
    self.next = next
  }
}

/// What is done with dead letters.
package struct DeadLetterWrite: Sendable {
  package enum Action: Sendable {
    /// Sent the whole way again, if the gates let it.
    case resend
    case discard
  }

  package enum Choice: Sendable {
    case one(String)
    /// A page of those of a sink.
    case page(DeadLetterQuestion)
  }

  package var action: Action
  package var choice: Choice

  package init(_ action: Action, _ choice: Choice) {
    self.action = action
    self.choice = choice
  }
}

/// What became of dead letters.
package struct DeadLetterReceipt: Sendable {
  package enum Outcome: Sendable {
    case resent(sink: String)
    /// Sent again when the gates let it.
    case held(until: Instant, reasons: [String])
    /// Not sent again, for the gates do not let it or nobody carries it; it stays a dead letter.
    case kept(reasons: [String])
    case discarded
  }

  package var outcomes: [(letter: String, outcome: Outcome)]
  /// Where to go on; nil when there are no more.
  package var next: String?

  package init(outcomes: [(letter: String, outcome: Outcome)], next: String?) {
    self.outcomes = outcomes
    self.next = next
  }
}

/// What a dead letter is called, such as `k3x-17.push`: by its notification and channel.
package struct DeadLetterID: Hashable, Sendable, CustomStringConvertible {
  package let notification: NotificationID
  package let channel: Channel

  init(_ delivery: Delivery) {
    notification = NotificationID(delivery.instance, delivery.notification)
    channel = delivery.channel
  }

  /// Nil for everything that `description` does not write.
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
