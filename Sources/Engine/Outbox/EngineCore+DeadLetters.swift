package import CivilTime
import Outbox
package import Reminders
package import Store

extension Questions {
  func deadLetters(_ question: DeadLetterQuestion) throws(StoreError) -> DeadLetterPage {
    try readers.read { try $0.page(question, instance: instance) }
  }

  func deadLetter(_ letter: String) throws(StoreError) -> DeadLetter? {
    guard let place = DeadLetterID.place(of: letter, instance: instance) else { return nil }
    return try readers.read { try $0.deadLetter(place.notification, place.channel) }
  }
}

extension StoreReader {
  /// A page of those that are meant, which may end before it is full: a question looks only so far.
  fileprivate func page(
    _ question: DeadLetterQuestion, instance: String
  ) throws -> DeadLetterPage {
    let after = question.after.flatMap { DeadLetterID.place(of: $0, instance: instance) }
    // Whatever follows the letter of another store, it is not the first page.
    guard question.after == nil || after != nil else { return DeadLetterPage() }
    let filter = question.filter
    let most = filter.hasSinkAlone ? question.limit : max(question.limit, Self.searchMax)
    let found = try deadLetters(of: filter.sink, after: after, limit: most + 1)
    let letters = Array(found.prefix(most).lazy.filter(filter.wants).prefix(question.limit))
    let last = letters.count == question.limit ? letters.last : found.prefix(most).last
    let isEnd = last?.identifier == found.last?.identifier
    return DeadLetterPage(letters: letters, next: isEnd ? nil : last?.identifier)
  }

  /// How many are looked at for those that are meant.
  private static var searchMax: Int { 1_000 }
}

extension DeadLetterID {
  /// The notification and channel that a letter's id is made of; nil for none of the store.
  fileprivate static func place(
    of letter: String, instance: String
  ) -> (notification: Int64, channel: Channel)? {
    guard let letter = DeadLetterID(letter), letter.notification.instance == instance else {
      return nil
    }
    return (letter.notification.number, letter.channel)
  }
}

extension EngineCore {
  /// Nil if there is no such letter.
  func perform(
    _ write: DeadLetterWrite, _ turn: inout Turn, in transaction: any StoreWriter
  ) throws -> DeadLetterReceipt? {
    var page = DeadLetterPage()
    switch write.choice {
    case .one(let name):
      guard let place = DeadLetterID.place(of: name, instance: store.instance),
        let letter = try transaction.deadLetter(place.notification, place.channel)
      else { return nil }
      page.letters = [letter]
    case .page(let question): page = try transaction.page(question, instance: store.instance)
    }
    var changes = DeliveryChanges()
    let outcomes = try page.letters.map { letter in
      (letter.identifier, try perform(write.action, letter, &changes, &turn, in: transaction))
    }
    try transaction.keep(changes)
    return DeadLetterReceipt(outcomes: outcomes, next: page.next)
  }

  private func perform(
    _ action: DeadLetterWrite.Action, _ letter: DeadLetter, _ changes: inout DeliveryChanges,
    _ turn: inout Turn, in transaction: any StoreWriter
  ) throws -> DeadLetterReceipt.Outcome {
    guard foreignShard(of: letter.delivery.recipient) == nil else {
      return .kept(reasons: ["elsewhere"])
    }
    switch action {
    case .resend: return try resend(letter, &changes, &turn, in: transaction)
    case .discard:
      changes.end(letter.delivery)
      return .discarded
    }
  }

  /// What the gates would drop stays where it is, for the operator to see. What the service died
  /// of goes out alone, and is set aside at the next death.
  private func resend(
    _ letter: DeadLetter, _ changes: inout DeliveryChanges, _ turn: inout Turn,
    in transaction: any StoreWriter
  ) throws -> DeadLetterReceipt.Outcome {
    let delivery = letter.delivery
    guard let sink = outbox.routes.first(of: delivery.channel) else {
      return .kept(reasons: ["route"])
    }
    guard let known = try person(named: delivery.recipient, &turn, in: transaction) else {
      return .kept(reasons: ["recipient"])
    }
    let context = PlanningContext(facts: known.stored.recipient.facts, planner: turn.planner)
    let decision = context.decision(retrying: delivery, now: turn.now)
    let reasons = decision.trace.reasons
    if decision.outcome == .dropped { return .kept(reasons: reasons) }
    turn.usage.add(.sent, delivery, at: turn.now)
    let isHeld = decision.at > turn.now
    let deaths = min(letter.deaths, Suspicion.deathsMax - 1)
    changes.wait(
      Retry(sink: sink, delivery: delivery, attempts: 0, deaths: deaths), due: decision.at,
      reason: isHeld ? "held by \(reasons.joined(separator: ", "))" : "sent again")
    return isHeld ? .held(until: decision.at, reasons: reasons) : .resent(sink: sink)
  }
}

/// Which dead letters are asked for.
package struct DeadLetterQuestion: Sendable {
  package var filter: DeadLetterFilter
  /// Where the page before ended.
  package var after: String?
  package var limit: Int

  package init(
    _ filter: DeadLetterFilter = DeadLetterFilter(), after: String? = nil, limit: Int = 100
  ) {
    self.filter = filter
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
    /// A page of those that are meant.
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
