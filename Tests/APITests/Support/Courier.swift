import Engine
import Outbox
import Reminders
import Store
import Synchronization

/// Records the engine's actions, and serves as the sink of its deliveries.
final class Courier: EngineActions, Sink {
  let name = "test"
  let canWithdraw: Bool
  private let batches = Mutex<[[Reminders.Delivery]]>([])

  init(canWithdraw: Bool) {
    self.canWithdraw = canWithdraw
  }

  /// Removes and returns the first batch that was dispatched.
  func next() -> [Reminders.Delivery]? {
    batches.withLock { $0.isEmpty ? nil : $0.removeFirst() }
  }

  func dispatch(_ deliveries: [Reminders.Delivery], toLane lane: Int) {
    batches.withLock { $0.append(deliveries) }
  }

  func open(lane: Int, for sink: any Sink, _ limits: SinkLimits) {}
  func retire(lane: Int) {}
  func close(lane: Int) {}
  func dispatch(_ events: [AnalyticsItem], toLane lane: Int) {}
  func openAnalytics(lane: Int, for sink: any AnalyticsSink, _ limits: SinkLimits) {}
  func report(_ notes: OccurrenceNotes) {}
  func report(_ update: ZoneUpdate) {}
  func report(_ note: DeliveryNote) {}
  func report(_ refused: [FinishedSubmission]) {}
  func report(_ ended: [EndedReminder]) {}
  func report(_ recipients: [SetAsideRecipient]) {}

  func deliver(_ deliveries: [Reminders.Delivery]) async throws(SinkOutage) -> [SinkAnswer] {
    throw SinkOutage("this sink gets no deliveries")
  }
}
