import CivilTime
import Outbox
import Reminders
import Store

/// Withdraws delivered notifications that no longer apply, in the transaction of the fact that ends
/// them (rule D16).
extension Ingestion {
  /// Notes an event that may end notifications, or messages to other people.
  func noteEnding(
    by event: Event, of person: RecipientCache.Person, _ turn: inout Turn
  ) {
    let mayWithdraw = turn.planner.catalog.mayWithdraw(after: event)
    let mayEndRelay = mayEndRelay(event, of: person, turn)
    guard mayWithdraw || mayEndRelay else { return }
    note(in: person, &turn) { effects in
      if mayWithdraw { effects.endings.append((event.type, event.time)) }
      if mayEndRelay { effects.endsRelays = true }
    }
  }

  /// Notes an effect that the current request may have.
  func note(
    in person: RecipientCache.Person, _ turn: inout Turn, _ change: (inout RequestEffects) -> Void
  ) {
    var effects = person.effects ?? RequestEffects()
    change(&effects)
    person.effects = effects
    turn.requests.hasEffects = true
  }

  /// Carries out the effects of a request on a recipient's notifications.
  func carryOutEffects(on person: RecipientCache.Person, _ turn: inout Turn) throws {
    guard let effects = person.effects else { return }
    person.effects = nil
    try withdrawEnded(effects, of: person, &turn)
    if effects.mayEndAbsence { try sendMissed(to: person, &turn) }
  }

  /// Withdraws the recipient's notifications, and the messages to other recipients, that the events
  /// of a request have ended. Compares the facts before and after the request.
  private func withdrawEnded(
    _ effects: RequestEffects, of person: RecipientCache.Person, _ turn: inout Turn
  ) throws {
    guard effects.endsRelays || !effects.endings.isEmpty else { return }
    let context = PlanningContext(facts: recipient(of: person, turn).facts, planner: turn.planner)
    let former = PlanningContext(facts: person.stored.recipient.facts, planner: turn.planner)
    if effects.endsRelays {
      turn.relays += context.relayWithdrawals(
        since: former, person.stored.recipient.progress, from: person.stored.recipient.name,
        now: turn.now)
    }
    guard let first = effects.endings.first else { return }
    let sent = try withdrawable(latest(of: person.stored, turn), of: person.stored, turn)
    let ended = EndedDeliveries(since: former, in: context)
    for deliveries in sent
    where isRecent(deliveries[0], turn) && ended.contains(deliveries[0]) {
      let causes = effects.endings.filter {
        turn.planner.catalog.mayEnd(deliveries[0], Symbol($0.type))
      }
      // Of events with the same time, the last to arrive is the cause.
      let cause = causes.reversed().max { $0.time < $1.time } ?? first
      try withdraw(deliveries, because: cause.type, &turn)
      _ = try turn.transaction.dismiss(
        deliveries[0].notification, of: &person.stored, now: turn.now)
    }
  }

  /// Returns whether a delivery was decided so recently that it may still be withdrawn.
  private func isRecent(_ delivery: Delivery, _ turn: borrowing Turn) -> Bool {
    turn.now - delivery.at < EndedDeliveries.ageMax
  }

  /// Withdraws the notifications that the recipient has read or dismissed elsewhere, and the other
  /// notifications of their occurrences.
  func withdrawRead(
    _ numbers: [Int64], of stored: StoredRecipient, because cause: String, _ turn: inout Turn
  ) throws {
    guard turn.planner.catalog.hasWithdrawals, !numbers.isEmpty else { return }
    var occurrence: Set<Int64> = []
    for deliveries in try withdrawable(numbers, of: stored, turn) {
      occurrence.formUnion(
        try turn.transaction.notifications(
          of: deliveries[0].occurrenceName, key: deliveries[0].key, row: stored.row))
    }
    for deliveries in try withdrawable(occurrence.sorted(), of: stored, turn) {
      try withdraw(deliveries, because: cause, &turn)
    }
  }

  /// Withdraws a notification from the sinks that accepted it, if they or open apps can withdraw
  /// it.
  ///
  /// - Parameter deliveries: the notification on each of its channels.
  func withdraw(_ deliveries: [Delivery], because cause: String, _ turn: inout Turn) throws {
    let number = deliveries[0].notification
    let states = try turn.transaction.deliveryStates(of: [number])[number] ?? []
    let sinks = outbox.configuration.sinks
    let changes = NotificationWithdrawal(states).changes(
      of: deliveries, because: cause, from: Set(sinks.filter(\.canWithdraw).map(\.name)),
      byApps: Set(sinks.filter(\.isWithdrawnByApps).map(\.name)), now: turn.now)
    guard let changes else { return }
    try turn.transaction.save(changes)
    turn.effects.withdrawn[deliveries[0].row, default: []].insert(number)
    for step in changes.withdrawals where step.verdict == .withdrawing {
      guard let delivery = deliveries.first(where: { $0.channel == step.channel }) else { continue }
      log(withdrawing: delivery, &turn)
    }
  }

  /// Adds the withdrawal of a delivery to the analytics events, if outcomes are recorded (rule M6).
  private func log(withdrawing delivery: Delivery, _ turn: inout Turn) {
    guard turn.logsOutcomes else { return }
    turn.effects.usage.log(
      NotificationOutcome(
        row: delivery.row, notification: NotificationID(delivery.identifier),
        reminder: delivery.reminder, category: delivery.category,
        channels: ChannelSet(delivery.channel), state: .withdrawn, at: turn.now))
  }

  /// Returns the numbers of the recipient's latest notifications.
  func latest(of stored: StoredRecipient, _ turn: borrowing Turn) throws -> [Int64] {
    guard stored.counts.head > 0 else { return [] }
    return try turn.transaction.chain(
      of: stored.row, from: stored.counts.head, downTo: 0, limit: EndedDeliveries.examinedMax
    ).numbers
  }

  /// Returns the deliveries of each sent notification whose reminder withdraws its notifications.
  private func withdrawable(
    _ numbers: [Int64], of stored: StoredRecipient, _ turn: borrowing Turn
  ) throws -> [[Delivery]] {
    let deliveries = try turn.transaction.deliveries(of: numbers, to: stored.row)
    let catalog = turn.planner.catalog
    return numbers.compactMap { deliveries[$0] }.filter { deliveries in
      deliveries.first.map(catalog.withdraws) ?? false
    }
  }
}
