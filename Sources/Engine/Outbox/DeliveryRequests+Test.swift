import CivilTime
import Outbox
import Reminders
import Store

/// Requests of test notifications (rule D5).
extension DeliveryRequests {
  /// How long a test may be retried.
  private static let testLifetime = TimeSpan.hours(1)

  /// Sends a test notification without holding it: of the gates, only `address` is evaluated here.
  /// Returns nil for an unknown recipient.
  func perform(
    _ parameters: TestParameters, of name: String, _ observer: @escaping TestObserver,
    _ turn: inout Turn
  ) throws -> TestReceipt? {
    guard let person = try ingestion.person(named: name, &turn) else { return nil }
    try ingestion.firing.fireDue(&person.stored, &turn)
    let context = PlanningContext(facts: person.stored.recipient.facts, planner: turn.planner)
    let obstacle = context.obstacle(on: parameters.channel)
    let record = record(
      parameters, row: person.stored.row, key: turn.transaction.lastNotification + 1,
      isReachable: obstacle == nil, now: turn.now)
    var recipients = [person.stored]
    let number = try turn.transaction.record([record], of: &recipients)[0]
    person.stored = recipients[0]
    person.isTouched = true
    guard let number else { return nil }
    turn.effects.outbox.lastNotification = number
    let sinks = outbox.dispatcher.routes.sinks[parameters.channel] ?? []
    if obstacle == nil {
      ingestion.firing.append(record, name, notification: number, &turn)
      turn.effects.answers.append { [outbox] in
        if !sinks.isEmpty { outbox.testObservers[number] = observer }
      }
    }
    return TestReceipt(
      notification: NotificationID(instance, number).description, obstacle: obstacle, sinks: sinks)
  }

  private func record(
    _ parameters: TestParameters, row: UInt32, key: Int64, isReachable: Bool, now: Instant
  ) -> NotificationRecord {
    var trace = GateTrace()
    trace.note(.address, isReachable ? .passes : .drops)
    return NotificationRecord(
      row: row, reminder: Symbol(TestNotification.identifier), key: key,
      channelGroup: parameters.channel == .inapp ? .inapp : .interrupting, planned: now, at: now,
      outcome: isReachable ? .delivered : .dropped, channels: ChannelSet(parameters.channel),
      isSilent: false, trace: trace, expiry: now + Self.testLifetime,
      message: Message(
        reminder: TestNotification.identifier, category: TestNotification.identifier,
        title: parameters.title, body: parameters.body))
  }
}
