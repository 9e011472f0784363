import Outbox
import Reminders
import Store

/// What was delivered and is snoozed is dismissed, and pending again as the same occurrence
/// (rule N4).
extension EngineCore {
  /// Reads the request that a snooze brings back, which has left the recipient's facts; nil if it
  /// needs none, or there is none.
  func settledRequest(
    of event: Event, by recipient: Recipient?, _ turn: Turn, in transaction: any StoreWriter
  ) throws -> SettledRequest? {
    guard let recipient, let order = recipient.settledRequest(of: event, planner: turn.planner),
      let kept = try transaction.events(orders: [order]).first,
      let request = try? EventReader(planner: turn.planner).arrivals([kept], of: recipient.name)
        .first?.event
    else { return nil }
    return SettledRequest(request, order: order)
  }

  /// Takes all that told of the occurrence out of what is recent and out of the inbox.
  func dismissSnoozed(
    by event: Event, _ stored: inout StoredRecipient, _ turn: inout Turn,
    in transaction: any StoreWriter
  ) throws {
    guard case .snooze(let reminder, let key?, _, isDelivered: true) = event.content else { return }
    for number in try transaction.notifications(of: reminder, key: key, row: stored.row) {
      _ = try transaction.dismiss(number, of: &stored, now: turn.now)
    }
  }
}
