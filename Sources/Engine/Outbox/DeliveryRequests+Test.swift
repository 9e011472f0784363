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
    guard let touched = try ingestion.person(named: name, &turn) else { return nil }
    try ingestion.firing.fireDue(&touched.stored, &turn)
    let context = PlanningContext(facts: touched.stored.recipient.facts, planner: turn.planner)
    let obstacle = context.obstacle(on: parameters.channel)
    let record = record(
      parameters, row: touched.stored.row, key: turn.transaction.lastNotification + 1,
      isReachable: obstacle == nil, now: turn.now)
    var batch = [touched.stored]
    let row = try turn.transaction.record([record], of: &batch)[0]
    touched.stored = batch[0]
    touched.isTouched = true
    guard let row else { return nil }
    turn.effects.outbox.lastNotification = row
    let sinks = outbox.dispatcher.routes.sinks[parameters.channel] ?? []
    if obstacle == nil {
      ingestion.firing.append(record, name, notification: row, &turn)
      turn.effects.answers.append { [outbox] in
        if !sinks.isEmpty { outbox.testObservers[row] = observer }
      }
    }
    return TestReceipt(
      notification: NotificationID(instance, row).description, obstacle: obstacle, sinks: sinks)
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
