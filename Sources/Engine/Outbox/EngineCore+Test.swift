package import CivilTime
import Outbox
package import Reminders
import Store

extension EngineCore {
  /// The name of the reminder and the category of a test.
  static let testName = "test"
  /// How long a test may be retried.
  private static let testLifetime = TimeSpan.hours(1)

  /// Sends a test notification like any other, but without the gates that hold: the caller wants it
  /// now. Returns nil for an unknown recipient.
  func perform(
    _ order: TestOrder, of name: String, _ observer: @escaping TestObserver, _ turn: inout Turn,
    in transaction: any StoreWriter
  ) throws -> TestReceipt? {
    guard let touched = try person(named: name, &turn, in: transaction) else { return nil }
    try fireDue(&touched.stored, &turn, in: transaction)
    let context = PlanningContext(facts: touched.stored.recipient.facts, planner: turn.planner)
    let obstacle = context.obstacle(on: order.channel)
    let record = record(
      order, row: touched.stored.row, key: transaction.lastNotification + 1,
      isReachable: obstacle == nil, now: turn.now)
    var batch = [touched.stored]
    let row = try transaction.record([record], of: &batch)[0]
    touched.stored = batch[0]
    touched.isTouched = true
    guard let row else { return nil }
    turn.lastNotification = row
    let route = outbox.routes.sinks[order.channel] ?? []
    if obstacle == nil {
      append(record, name, notification: row, &turn)
      turn.answers.append { [self] in if !route.isEmpty { testObservers[row] = observer } }
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
      channelGroup: order.channel == .inapp ? .inapp : .interrupting, planned: now, at: now,
      outcome: isReachable ? .delivered : .dropped, channels: ChannelSet(order.channel),
      isSilent: false, trace: trace, expiry: now + Self.testLifetime,
      message: Message(
        reminder: Self.testName, category: Self.testName, title: order.title, body: order.body))
  }

  // MARK: - Observers

  /// Reports to observers of tests that these are in flight.
  func observeHandover(of batch: [Delivery], sink: String, now: Instant) {
    guard !testObservers.isEmpty else { return }
    for delivery in batch {
      testObservers[delivery.notification]?(
        .handed(sink: sink, channel: delivery.channel, at: now))
    }
  }

  /// Reports the results of attempts to observers of tests, after the commit.
  func observe(
    _ attempts: [Attempt], _ turn: inout Turn, in transaction: any StoreWriter
  ) throws {
    let watched = attempts.filter { testObservers[$0.notification] != nil }
    guard !watched.isEmpty else { return }
    let states = try transaction.deliveryStates(of: watched.map(\.notification))
    for attempt in watched {
      guard let observer = testObservers[attempt.notification] else { continue }
      let step = TestStep(after: attempt, states[attempt.notification] ?? [])
      turn.answers.append { [self] in
        observer(.attempted(attempt))
        observer(step)
        if step.isLast { testObservers[attempt.notification] = nil }
      }
    }
  }

  /// Removes the observer of a test.
  func forgetTest(_ notification: String) {
    if let number = number(of: notification) { testObservers[number] = nil }
  }
}

/// A test notification to one recipient over one channel (rule D5).
package struct TestOrder: Sendable {
  package var channel: Channel
  package var title: String
  package var body: String

  package init(channel: Channel, title: String, body: String) {
    self.channel = channel
    self.title = title
    self.body = body
  }
}

/// The result of a test order.
package struct TestReceipt: Sendable {
  package var notification: String
  /// Why the channel cannot reach the recipient; nil if it can.
  package var obstacle: String?
  /// The sinks of the channel, in order of fallback.
  package var route: [String]

  package init(notification: String, obstacle: String?, route: [String]) {
    self.notification = notification
    self.obstacle = obstacle
    self.route = route
  }
}

/// A step of a test notification.
package enum TestStep: Sendable {
  case handed(sink: String, channel: Channel, at: Instant)
  case attempted(Attempt)
  /// Another attempt is scheduled at this sink.
  case next(sink: String, channel: Channel, at: Instant, reason: String)
  case delivered(sink: String)
  case deadLetter(reason: String)

  /// Whether this is the last step.
  package var isLast: Bool {
    switch self {
    case .handed, .attempted, .next: false
    case .delivered, .deadLetter: true
    }
  }
}

/// Called with each step as it happens, on the engine's thread.
package typealias TestObserver = @Sendable (TestStep) -> Void

extension TestStep {
  /// The step after an attempt, according to the stored states of the deliveries.
  fileprivate init(after attempt: Attempt, _ states: [DeliveryState]) {
    guard attempt.verdict != .delivered else {
      self = .delivered(sink: attempt.sink)
      return
    }
    for state in states {
      if case .retrying(_, let due, let reason) = state.progress {
        self = .next(sink: state.sink, channel: state.channel, at: due, reason: reason)
        return
      }
    }
    self = .deadLetter(reason: attempt.reason)
  }
}
