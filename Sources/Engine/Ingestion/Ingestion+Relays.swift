import Reminders
import Store

/// Ingests the messages (relays) that reminders send to other recipients, in the transaction in
/// which the reminders are fired (rule G17).
extension Ingestion {
  /// Ingests the engine cycle's messages for other recipients, and fires the occurrences that they
  /// make due. Messages for recipients of other nodes are left in the store for those nodes (rule
  /// F11).
  func ingestRelays(_ turn: inout Turn) throws {
    while !turn.relays.isEmpty {
      let relays = turn.relays
      turn.relays = []
      try prefetch([relays], &turn)
      for event in relays {
        let rows = turn.requests.eventRows.popFirst()
        let receipt = try ingestAlone(event, knowing: rows, &turn)
        if case .elsewhere = receipt { turn.copies.append(event) }
        turn.showProgress()
      }
      try endRequest(&turn)
      try firing.saveTouched(&turn)
    }
  }

  /// Returns whether an event may end an occurrence about which other recipients got a message. A
  /// relation that the same request reports is too new for such a message.
  func mayEndRelay(
    _ event: Event, of person: RecipientCache.Person, _ turn: borrowing Turn
  ) -> Bool {
    !person.stored.recipient.facts.relations.isEmpty && turn.planner.catalog.mayEndRelay(event)
  }

  /// Erases the texts that a recipient has got about an erased person (rule E12). Deliveries that
  /// wait in memory still have these texts, and the gates drop them.
  func eraseTexts(about name: String, of stored: StoredRecipient, _ turn: inout Turn) throws {
    // Only a recipient who consented to messages about the person can have such texts.
    let hasTexts = stored.recipient.facts.relations.contains {
      !$0.isOutgoing && $0.ownConsent != nil && ExactText($0.person) == ExactText(name)
    }
    guard hasTexts else { return }
    let recorded = try turn.transaction.notifications(of: stored.row, after: 0, limit: .max)
    let numbers = recorded.notifications.filter { $0.message.isAbout(name) }
      .compactMap { number(of: $0.identifier) }
    if !numbers.isEmpty { turn.effects.outbox.hasEmptiedTexts = true }
    var events: [Int64: [UInt8]] = [:]
    for event in try turn.transaction.allEvents(of: stored) {
      events[event.order] = Relay.erasedData(of: event, about: name)
    }
    try turn.transaction.eraseTexts(of: numbers, events: events, of: stored)
  }
}
