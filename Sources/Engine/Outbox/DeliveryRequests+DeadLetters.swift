import Outbox
import Reminders
import Store

/// Actions on dead letters (rule D9).
extension DeliveryRequests {
  /// Performs an action on one dead letter or a page of them. Returns nil if the single dead letter
  /// does not exist.
  func perform(_ write: DeadLetterWrite, _ turn: inout Turn) throws -> DeadLetterReceipt? {
    var page = DeadLetterPage()
    switch write.choice {
    case .one(let name):
      guard let key = DeadLetterID.key(of: name, instance: instance),
        let letter = try turn.transaction.deadLetter(key.notification, key.channel)
      else { return nil }
      page.letters = [letter]
    case .page(let query): page = try turn.transaction.page(query, instance: instance)
    }
    var changes = DeliveryChanges()
    let outcomes = try page.letters.map { letter in
      (letter.identifier, try perform(write.action, letter, &changes, &turn))
    }
    try turn.transaction.save(changes)
    return DeadLetterReceipt(outcomes: outcomes, next: page.next)
  }

  private func perform(
    _ action: DeadLetterWrite.Action, _ letter: DeadLetter, _ changes: inout DeliveryChanges,
    _ turn: inout Turn
  ) throws -> DeadLetterReceipt.Outcome {
    guard ingestion.shards.foreignShard(of: letter.delivery.recipient) == nil else {
      return .kept(reasons: ["elsewhere"])
    }
    switch action {
    case .resend: return try resend(letter, &changes, &turn)
    case .discard:
      changes.end(letter.delivery)
      return .discarded
    }
  }

  /// Resends a dead letter. If a gate drops the delivery, it stays a dead letter for the operator.
  /// A quarantined delivery was in flight at several crashes. It is sent alone, and is quarantined
  /// again at the next crash.
  private func resend(
    _ letter: DeadLetter, _ changes: inout DeliveryChanges, _ turn: inout Turn
  ) throws -> DeadLetterReceipt.Outcome {
    let delivery = letter.delivery
    guard let sink = outbox.dispatcher.routes.first(of: delivery.channel) else {
      return .kept(reasons: ["route"])
    }
    guard let person = try ingestion.person(named: delivery.recipient, &turn) else {
      return .kept(reasons: ["recipient"])
    }
    let recipient = person.stored.recipient
    let context = PlanningContext(facts: recipient.facts, planner: turn.planner)
    let isReplaced =
      try recipient.progress.isReplaced(delivery)
      || !turn.transaction.replaced(among: [delivery]).isEmpty
      || !turn.transaction.emptiedDigests(among: [delivery], of: recipient, in: context).isEmpty
    let decision = context.decision(
      retrying: delivery, isReplaced: isReplaced, now: turn.now)
    let reasons = decision.trace.reasons
    if decision.outcome == .dropped { return .kept(reasons: reasons) }
    turn.effects.usage.add(.sent, delivery, at: turn.now)
    let isHeld = decision.at > turn.now
    let deaths = min(letter.deaths, Suspicion.deathsMax - 1)
    changes.wait(
      Retry(sink: sink, delivery: delivery, attempts: 0, deaths: deaths), due: decision.at,
      reason: isHeld ? "held by \(reasons.joined(separator: ", "))" : "sent again")
    return isHeld ? .held(until: decision.at, reasons: reasons) : .resent(sink: sink)
  }
}
