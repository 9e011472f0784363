import CivilTime
import Reminders
import Store

/// Sends what a device that returns after an absence has missed, as one digest without a sound
/// (rule V17).
extension Ingestion {
  /// The maximum number of a recipient's latest notifications that are examined.
  private static let examinedMax = 64
  private static let membersMax = 20
  /// The span without a device from which a return counts.
  private static let absenceMin = TimeSpan.days(1)
  /// The span before `device.seen` in which an opening or a receipt belongs to the same return.
  private static let returnSpan = TimeSpan.hours(1)

  /// Returns the instant at which a device was last in use, if an event ends an absence of a day.
  /// A report that arrives late is no return: a phone that was offline uploads several at once.
  func absence(
    endedBy event: Event, of person: RecipientCache.Person, _ turn: borrowing Turn
  ) -> Instant? {
    guard event.isSighting, turn.now - event.time <= Self.returnSpan else { return nil }
    let facts = recipient(of: person, turn).facts
    guard let last = facts.lastSeen(before: event.time - Self.returnSpan) else { return nil }
    return event.time - last > Self.absenceMin ? last : nil
  }

  /// Sends a digest of the push notifications since an instant that the recipient has missed. It
  /// needs two, and one that was sent after a day without a device.
  ///
  /// - Parameter event: the event that ended the absence.
  func sendMissed(
    since last: Instant, by event: Event, to person: RecipientCache.Person, _ turn: inout Turn
  ) throws {
    let facts = recipient(of: person, turn).facts
    let context = PlanningContext(facts: facts, planner: turn.planner)
    guard context.mayPush else { return }
    let past = try pushes(since: last, to: person.stored, turn)
    // Facts remember only the latest receipt, which may belong to this return.
    let receipts = past.flatMap(\.receipts).filter { $0 < event.time - Self.returnSpan }
    let latest = receipts.reduce(last, max)
    let now = turn.now
    let missed = past.filter { !$0.isRead && $0.delivery.at > latest }.map(\.delivery)
      .filter { context.isStillMeant($0, at: now) && context.isAllowed($0, at: now) }
      .prefix(Self.membersMax)
    guard missed.count > 1, missed.contains(where: { $0.at - latest > Self.absenceMin }),
      let message = context.digest(of: missed.map(\.message))
    else { return }
    let expiry = missed.map(\.expiry).max() ?? turn.now
    try send(message, until: expiry, hints: context.settings.hints, to: person, &turn)
  }

  /// A delivery by push.
  private struct Push {
    let delivery: Delivery
    /// Whether the recipient is known to have the notification on a device, or to have read or
    /// dismissed it.
    let isRead: Bool
    /// The times of the devices' receipts.
    let receipts: [Instant]
  }

  /// Returns a recipient's push deliveries since an instant, the latest first.
  private func pushes(
    since last: Instant, to stored: StoredRecipient, _ turn: borrowing Turn
  ) throws -> [Push] {
    let entries = try turn.transaction.notificationHistory(
      of: stored, after: nil, limit: Self.examinedMax
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
      return Push(
        delivery: delivery,
        isRead: entry.isDismissed || entry.isRead == true || state.publicState != .accepted,
        receipts: state.attempts.filter { $0.verdict == .received }.map(\.at))
    }
  }

  private func send(
    _ message: Message, until expiry: Instant, hints: Hints, to person: RecipientCache.Person,
    _ turn: inout Turn
  ) throws {
    let push = ChannelSet(.push)
    var record = NotificationRecord(
      row: person.stored.row, reminder: Digest.symbol, key: Digest.key(at: turn.now, push),
      channelGroup: .interrupting, planned: turn.now, at: turn.now, outcome: .delivered,
      channels: push, isSilent: true, trace: GateTrace(), expiry: expiry, message: message)
    record.hints = hints
    var batch = [person.stored]
    let number = try turn.transaction.record([record], of: &batch)[0]
    person.stored = batch[0]
    guard let number else { return }
    turn.effects.outbox.lastNotification = number
    firing.append(record, person.stored.recipient.name, notification: number, &turn)
  }
}
