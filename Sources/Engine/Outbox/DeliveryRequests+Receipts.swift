import CivilTime
import Outbox
import Reminders
import Store

extension DeliveryRequests {
  /// Begins to wait for receipts of accepted deliveries, if their categories do (rule D13).
  func awaitReceipts(of batch: AnsweredBatch, _ turn: inout Turn) throws {
    let catalog = turn.planner.catalog
    guard catalog.hasConfirmations else { return }
    let accepted = zip(batch.deliveries, batch.answers).filter(\.1.isDelivered).map(\.0)
      .filter { catalog.confirmation(of: $0.category) != nil }
    guard !accepted.isEmpty else { return }
    let states = try turn.transaction.deliveryStates(of: accepted.map(\.notification))
    var begun: Set<Int64> = []
    for delivery in accepted where !begun.contains(delivery.notification) {
      let states = states[delivery.notification] ?? []
      guard let changes = try wait(for: delivery, states, &turn) else { continue }
      begun.insert(delivery.notification)
      try turn.transaction.keep(changes)
      for next in changes.waiting {
        turn.effects.usage.add(.sent, next.retry.delivery, at: turn.now)
      }
    }
  }

  private func wait(
    for delivery: Delivery, _ states: [DeliveryState], _ turn: inout Turn
  ) throws -> DeliveryChanges? {
    guard let confirmation = turn.planner.catalog.confirmation(of: delivery.category),
      let sink = outbox.dispatcher.routes.first(of: confirmation.channel),
      let person = try ingestion.person(named: delivery.recipient, &turn)
    else { return nil }
    let context = PlanningContext(facts: person.stored.recipient.facts, planner: turn.planner)
    guard context.fallbacks(of: delivery).contains(confirmation.channel) else { return nil }
    return ReceiptWait(states).begin(confirmation, delivery, by: sink, now: turn.now)
  }
}
