import CivilTime
import Outbox
import Reminders
import Store

extension DeliveryRequests {
  /// Begins the waits for receipts of the batch's accepted deliveries. Only notifications of
  /// categories with a confirmation wait (rule D13).
  func awaitReceipts(of batch: AnsweredBatch, _ turn: inout Turn) throws {
    let catalog = turn.planner.catalog
    guard catalog.hasConfirmations else { return }
    let accepted = batch.accepted.filter { catalog.confirmation(of: $0.category) != nil }
    guard !accepted.isEmpty else { return }
    let states = try turn.transaction.deliveryStates(of: accepted.map(\.notification))
    var waitingNotifications: Set<Int64> = []
    for delivery in accepted where !waitingNotifications.contains(delivery.notification) {
      let states = states[delivery.notification] ?? []
      guard let changes = try beginWait(of: delivery, states, &turn) else { continue }
      waitingNotifications.insert(delivery.notification)
      try turn.transaction.save(changes)
      for next in changes.waiting {
        turn.effects.usage.add(.sent, next.retry.delivery, at: turn.now)
      }
    }
  }

  /// Withdraws deliveries that were accepted after a fact had ended their notification (rule D16).
  func withdrawEnded(among batch: AnsweredBatch, _ turn: inout Turn) throws {
    let catalog = turn.planner.catalog
    guard catalog.hasWithdrawals else { return }
    for delivery in batch.accepted where catalog.withdraws(delivery) {
      guard let person = try ingestion.person(named: delivery.recipient, &turn) else { continue }
      let context = PlanningContext(facts: person.stored.recipient.facts, planner: turn.planner)
      guard context.isWithdrawn(delivery) else { continue }
      try ingestion.withdraw([delivery], because: "it ended before it was accepted", &turn)
    }
  }

  /// Returns the changes that begin the wait of a delivery's notification; nil if it does not wait.
  private func beginWait(
    of delivery: Delivery, _ states: [DeliveryState], _ turn: inout Turn
  ) throws -> DeliveryChanges? {
    guard let confirmation = turn.planner.catalog.confirmation(of: delivery.category),
      let sink = outbox.dispatcher.routes.first(of: confirmation.channel),
      let person = try ingestion.person(named: delivery.recipient, &turn)
    else { return nil }
    let context = PlanningContext(facts: person.stored.recipient.facts, planner: turn.planner)
    let fallbacks = context.fallbacks(of: delivery, at: turn.now)
    guard fallbacks.contains(confirmation.channel) else { return nil }
    return ReceiptWait(states).begin(confirmation, delivery, by: sink, now: turn.now)
  }
}

extension AnsweredBatch {
  /// The deliveries that the sink accepted, without withdrawals.
  fileprivate var accepted: [Delivery] {
    zip(deliveries, answers).filter { $0.1.isDelivered && !$0.0.isWithdrawal }.map(\.0)
  }
}
