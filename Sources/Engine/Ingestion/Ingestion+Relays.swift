import Reminders
import Store

/// Gives messages to the recipients for whom other recipients' reminders have them, in the
/// transaction of the decision (rule G17).
extension Ingestion {
  /// Ingests the messages that the cycle's decisions have for other recipients, and decides about
  /// them. Those for other nodes' recipients are left in the store for those nodes (rule F11).
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

  /// Returns whether an event may end an occurrence whose message other recipients have got. A
  /// relation that the same request has reported is too new for that.
  func mayEndRelay(
    _ event: Event, of person: RecipientCache.Person, _ turn: borrowing Turn
  ) -> Bool {
    !person.stored.recipient.facts.relations.isEmpty && turn.planner.catalog.mayEndRelay(event)
  }

  /// Erases the texts that a recipient has got about an erased person (rule E12), and everything
  /// that names the person in the base of the recipient's facts. Deliveries that wait in memory
  /// still have the texts, and are dropped by the gates.
  func eraseTexts(about name: String, of stored: StoredRecipient, _ turn: inout Turn) throws {
    if var base = try turn.transaction.factBases(of: [stored.row])[stored.row], base.forget(name) {
      try turn.transaction.save(base, of: stored)
    }
    // Only a person who got messages about the other one can have such texts.
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
