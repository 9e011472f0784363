import CivilTime
import Reminders
import Store

/// When a device returns after an absence, sends the push notifications that it has missed, as one
/// digest without a sound (rule V17).
extension Ingestion {
  /// Sends the missed push notifications if the current request ends the absence of a device.
  func sendMissed(to person: RecipientCache.Person, _ turn: inout Turn) throws {
    let found = person.intake.deviceReturn(of: person.stored.recipient, now: turn.now)
    guard let (lastSeen, event) = found else { return }
    try sendMissed(since: lastSeen, by: event, to: person, &turn)
  }

  /// Sends a digest of the push notifications that the recipient has missed since an instant.
  ///
  /// - Parameters:
  ///   - last: the instant at which a device was last seen before the absence.
  ///   - event: the event that ended the absence.
  private func sendMissed(
    since last: Instant, by event: Event, to person: RecipientCache.Person, _ turn: inout Turn
  ) throws {
    let facts = recipient(of: person, turn).facts
    let context = PlanningContext(facts: facts, planner: turn.planner)
    guard context.mayPush else { return }
    let past = try pushes(since: last, to: person.stored, turn)
    let now = turn.now
    guard let missed = context.missed(past, since: last, by: event, now: now) else { return }
    let firing = missed.firing(at: now, hints: context.settings.hints)
    let fired = FiredOccurrence(firing, missed.message, at: 0, context, relayedEvents: [])
    guard let record = NotificationRecord(fired, row: person.stored.row) else { return }
    var batch = [person.stored]
    try self.firing.record([fired], [record], of: &batch, &turn)
    person.stored = batch[0]
  }

  /// Returns a recipient's push deliveries since an instant, the latest first.
  private func pushes(
    since last: Instant, to stored: StoredRecipient, _ turn: borrowing Turn
  ) throws -> [PastPush] {
    let entries = try turn.transaction.notificationHistory(
      of: stored, after: nil, limit: PastPush.examinedMax
    ).filter { entry in
      entry.own.outcome == .delivered && entry.own.at > last
        && entry.own.channels.contains(ChannelSet(.push))
    }
    let numbers = entries.map(\.own.notification)
    let states = try turn.transaction.deliveryStates(of: numbers)
    let deliveries = try turn.transaction.deliveries(of: numbers, to: stored.row)
    return entries.compactMap { entry in
      let number = entry.own.notification
      guard let state = states[number]?.first(where: { $0.channel == .push }),
        let delivery = deliveries[number]?.first(where: { $0.channel == .push })
      else { return nil }
      return PastPush(
        delivery: delivery,
        isRead: entry.isDismissed || entry.isRead == true || state.publicState != .accepted,
        receipts: state.attempts.filter { $0.verdict == .received }.map(\.at))
    }
  }
}
