import CivilTime
import Outbox
import Reminders
import Store

extension Ingestion {
  /// Records a report about a delivery, and counts it, if it changes the delivery's state (rule
  /// D11). A report about another recipient's delivery, or about an unknown delivery, only stays in
  /// this recipient's events.
  func record(
    _ report: DeliveryReport, at time: Instant, _ stored: StoredRecipient, _ turn: inout Turn
  ) throws {
    guard let number = number(of: report.notification),
      let storedNotification = try turn.transaction.notifications([number])[number],
      storedNotification.row == stored.row,
      storedNotification.past.outcome == .delivered,
      let state = try turn.transaction.deliveryStates(of: [number])[number]?
        .first(where: { $0.channel == report.channel }), state.isChanged(by: report)
    else { return }
    var changes = DeliveryChanges()
    changes.reports = [Attempt(report, of: number, by: state.sink, at: time)]
    try turn.transaction.save(changes)
    let zone = PlanningContext(facts: stored.recipient.facts, planner: turn.planner).zone
    turn.effects.usage.add(
      UsageMeasure(report.state), category: storedNotification.past.message.category,
      channels: ChannelSet(report.channel), at: LocalHour(time, in: zone))
    if report.state.endsWait { try endWait(for: storedNotification, number, in: zone, &turn) }
    log(.init(report.state), storedNotification, on: ChannelSet(report.channel), at: time, &turn)
  }

  /// Returns the refusal of a report that would suppress an address, unless the recipient had the
  /// delivery (rule D10); nil for other events. The check is made here because it needs the store,
  /// and facts are computed without the store.
  func refusal(
    ofUnknownDeliveryIn event: Event, by person: RecipientCache.Person, _ turn: borrowing Turn
  ) throws -> Refusal? {
    guard case .deliveryReport(let report) = event.content, report.suppressesAddress else {
      return nil
    }
    if let number = number(of: report.notification),
      let found = try turn.transaction.notifications([number])[number],
      found.row == person.stored.row
    {
      return nil
    }
    return Refusal(
      path: "data.notification",
      "\"\(report.notification)\" is no notification of this recipient; report the id of a "
        + "delivery")
  }

  /// Records that the recipient has opened or seen a notification as a receipt if no sink's
  /// acceptance is recorded yet, so that no other channel follows (rule D13).
  func recordReceipt(
    ofSeen stored: StoredNotification, _ number: Int64, at time: Instant,
    by person: StoredRecipient, _ turn: inout Turn
  ) throws {
    let catalog = turn.planner.catalog
    guard catalog.confirmation(of: stored.past.message.category) != nil else { return }
    let states = try turn.transaction.deliveryStates(of: [number])[number] ?? []
    let sending = states.filter { $0.publicState == .sending }
    guard !states.contains(where: { $0.channel != .inapp && $0.publicState.isDelivered }),
      let state = sending.first(where: { $0.channel == .push }) ?? sending.first
    else { return }
    let report = DeliveryReport(
      notification: stored.past.identifier, channel: state.channel, state: .received)
    try record(report, at: time, person, &turn)
  }

  /// Ends the wait for a receipt of a notification, so that no other channel follows (rule D13).
  ///
  /// - Parameters:
  ///   - number: the number of the notification.
  ///   - zone: the recipient's zone.
  func endWait(
    for stored: StoredNotification, _ number: Int64, in zone: Zone, _ turn: inout Turn
  ) throws {
    let wait = ReceiptWait(try turn.transaction.deliveryStates(of: [number])[number] ?? [])
    guard let waiting = wait.waiting, let changes = wait.end(of: number, at: turn.now) else {
      return
    }
    try turn.transaction.save(changes)
    let channels = ChannelSet(waiting.channel)
    turn.effects.usage.add(
      .dropped, category: stored.past.message.category, channels: channels,
      at: LocalHour(turn.now, in: zone))
    log(.dropped, stored, on: channels, at: turn.now, &turn)
  }

  /// Adds the outcome of a recorded notification to the analytics events, if outcomes are recorded
  /// (rule M6).
  func log(
    _ state: NotificationOutcome.State, _ stored: StoredNotification, on channels: ChannelSet,
    by action: String? = nil, at time: Instant, _ turn: inout Turn
  ) {
    guard turn.logsOutcomes else { return }
    let message = stored.past.message
    turn.effects.usage.log(
      NotificationOutcome(
        row: stored.row, notification: NotificationID(stored.past.identifier),
        reminder: message.reminder,
        category: message.category, channels: channels, state: state, at: time, action: action))
  }
}

extension NotificationOutcome.State {
  fileprivate init(_ state: DeliveryReport.State) {
    self =
      switch state {
      case .received: .received
      case .failed: .failed
      case .bounced: .bounced
      case .complained: .complained
      }
  }
}

extension UsageMeasure {
  fileprivate init(_ state: DeliveryReport.State) {
    self =
      switch state {
      case .received: .received
      case .failed: .failed
      case .bounced: .bounced
      case .complained: .complained
      }
  }
}

extension Event {
  /// Whether the event reports the state of a delivery.
  var isDeliveryReport: Bool {
    if case .deliveryReport = content { true } else { false }
  }
}
