import CivilTime
import Delivery
import Reminders
import Store

extension EngineCore {
  /// What tests are called where reminders and categories are named.
  private static let testName = "test"
  /// How long one is worth another attempt.
  private static let testLifetime = TimeSpan.hours(1)

  /// Sends a test the way that everything goes, but for the gates that hold: who asks for it wants
  /// it now. Nil for a recipient of whom nothing is known.
  func perform(
    _ order: TestOrder, of name: String, _ witness: @escaping TestWitness, _ turn: inout Turn,
    in transaction: StoreTransaction
  ) throws -> TestReceipt? {
    guard let touched = try person(named: name, &turn, in: transaction) else { return nil }
    try fireDue(&touched.stored, &turn, in: transaction)
    let situation = Situation(facts: touched.stored.recipient.facts, planner: turn.planner)
    let obstacle = situation.obstacle(on: order.channel)
    let record = record(
      order, row: touched.stored.row, key: transaction.lastNotification + 1,
      isReachable: obstacle == nil, now: turn.now)
    var herd = [touched.stored]
    let row = try transaction.record([record], of: &herd)[0]
    touched.stored = herd[0]
    touched.isTouched = true
    guard let row else { return nil }
    turn.lastNotification = row
    let route = routes.sinks[order.channel] ?? []
    if obstacle == nil {
      append(record, name, notification: row, &turn)
      turn.answers.append { [self] in if !route.isEmpty { witnesses[row] = witness } }
    }
    return TestReceipt(
      notification: identifier(of: row), obstacle: obstacle, route: route)
  }

  private func record(
    _ order: TestOrder, row: UInt32, key: Int64, isReachable: Bool, now: Instant
  ) -> NotificationRecord {
    var trace = GateTrace()
    trace.note(.address, isReachable ? .passes : .drops)
    return NotificationRecord(
      row: row, reminder: Symbol(Self.testName), key: key,
      track: order.channel == .inapp ? .inapp : .interrupting, planned: now, at: now,
      outcome: isReachable ? .delivered : .dropped, channels: ChannelSet(order.channel),
      isSilent: false, trace: trace, expiry: now + Self.testLifetime,
      caption: Caption(
        reminder: Self.testName, category: Self.testName, title: order.title, body: order.body))
  }

  // MARK: - Witnesses

  /// Tells who watches tests that these are with a sink.
  func witnessHandover(of batch: [Delivery], sink: String, now: Instant) {
    guard !witnesses.isEmpty else { return }
    for delivery in batch {
      witnesses[delivery.notification]?(
        .handed(sink: sink, channel: delivery.channel, at: now))
    }
  }

  /// Tells who watches tests what came of an attempt, when that is on disk.
  func witness(
    _ attempt: Attempt, _ turn: inout Turn, in transaction: StoreTransaction
  ) throws {
    guard let witness = witnesses[attempt.notification] else { return }
    let step = try step(after: attempt, in: transaction)
    turn.answers.append { [self] in
      witness(.attempted(attempt))
      witness(step)
      if step.isLast { witnesses[attempt.notification] = nil }
    }
  }

  private func step(
    after attempt: Attempt, in transaction: StoreTransaction
  ) throws -> TestStep {
    guard attempt.verdict != .delivered else { return .delivered(sink: attempt.sink) }
    for state in try transaction.deliveryStates(of: attempt.notification) {
      if case .retrying(_, let due, let reason) = state.progress {
        return .next(sink: state.sink, channel: state.channel, at: due, reason: reason)
      }
    }
    return .deadLetter(reason: attempt.reason)
  }

  /// Nobody watches a test any more.
  func forgetTest(_ notification: String) {
    if let number = number(of: notification) { witnesses[number] = nil }
  }
}
