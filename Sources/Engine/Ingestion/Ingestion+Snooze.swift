import Outbox
import Reminders
import Store

/// A delivered notification that is snoozed is dismissed, and its occurrence is pending again (rule
/// N8).
extension Ingestion {
  /// Reads the finished request that a snooze revives. The recipient's facts no longer contain this
  /// request. Returns nil if the snooze revives no request, or if the request is no longer stored.
  func finishedRequest(
    of event: Event, by recipient: Recipient?, _ turn: borrowing Turn
  ) throws -> FinishedRequest? {
    guard let recipient,
      let order = recipient.finishedRequestOrder(of: event, planner: turn.planner),
      let stored = try turn.transaction.events(orders: [order]).first,
      let request = try? EventReader(planner: turn.planner).arrivals([stored], of: recipient.name)
        .first?.event
    else { return nil }
    return FinishedRequest(request, order: order)
  }

  /// Dismisses all notifications of the snoozed occurrence and of its repetitions, also in the
  /// inbox.
  func dismissSnoozed(
    by event: Event, _ stored: inout StoredRecipient, _ turn: inout Turn
  ) throws {
    guard case .snooze(let reminder, let key?, _, isDelivered: true) = event.content else { return }
    let catalog = turn.planner.catalog
    for member in catalog.reminder(reminder).map(catalog.chain) ?? [reminder] {
      for number in try turn.transaction.notifications(of: member, key: key, row: stored.row) {
        _ = try turn.transaction.dismiss(number, of: &stored, now: turn.now)
        try withdrawRead([number], of: stored, because: event.type, &turn)
      }
    }
  }

  /// Records that a digest was snoozed as a whole, so that its waiting deliveries are withdrawn
  /// (rule N8). A single notification needs no record, because the notification after the snooze
  /// replaces it.
  ///
  /// - Parameter identifier: the id of the notification that the snooze dismisses: a single one or
  ///   a digest.
  func recordDigestSnooze(
    _ identifier: String, of name: String, _ turn: inout Turn
  ) throws {
    guard let number = number(of: identifier),
      let past = try turn.transaction.notifications([number])[number]?.past,
      let person = try person(named: name, &turn)
    else { return }
    person.stored.recipient.recordSnooze(of: past, planner: turn.planner)
  }
}
