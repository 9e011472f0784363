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

  /// Erases the texts that a recipient has got about an erased person (rule E12), and everything
  /// that names the person in the base of the recipient's facts. Deliveries that wait in memory
  /// still have these texts, and the gates drop them.
  func eraseTexts(about name: String, of stored: StoredRecipient, _ turn: inout Turn) throws {
    if var base = try turn.transaction.factBases(of: [stored.row])[stored.row], base.forget(name) {
      try turn.transaction.save(base, of: stored)
    }
    // Only a recipient who consented to messages about the person can have such texts.
    let hasTexts = stored.recipient.facts.relations.contains {
      !$0.isOutgoing && $0.ownConsent != nil && ExactText($0.person) == ExactText(name)
    }
    guard hasTexts else { return }
    let numbers = try notifications(about: name, of: stored, turn)
    if !numbers.isEmpty { turn.effects.outbox.hasEmptiedTexts = true }
    var events: [Int64: [UInt8]] = [:]
    for event in try turn.transaction.allEvents(of: stored) {
      events[event.order] = Relay.erasedData(of: event, about: name)
    }
    try turn.transaction.eraseTexts(of: numbers, events: events, of: stored)
  }

  /// The number of notifications whose texts are read at once.
  private static let pageMax = 1_024

  /// Returns the notifications of a recipient with messages about another person. Their number has
  /// no limit, so they are read in pages, between which the watchdog sees progress.
  private func notifications(
    about name: String, of stored: StoredRecipient, _ turn: borrowing Turn
  ) throws -> [Int64] {
    var numbers: [Int64] = []
    // The stored row may lack notifications that the same engine cycle has just fired.
    var first = stored.counts.head
    guard first > 0 else { return [] }
    while true {
      let chain = try turn.transaction.chain(
        of: stored.row, from: first, downTo: 0, limit: Self.pageMax)
      let found = try turn.transaction.notifications(chain.numbers)
      numbers += chain.numbers.filter { found[$0]?.past.message.isAbout(name) ?? false }
      turn.showProgress()
      guard case .next(let next) = chain.end, next != 0 else { return numbers }
      first = next
    }
  }
}
