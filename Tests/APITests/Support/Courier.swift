import Engine
import Outbox
import Reminders
import Store
import Synchronization

/// What the engine would do to the world, and the sink that it hands deliveries to: they are kept.
final class Courier: EngineActions, Sink {
  let name = "test"
  private let batches = Mutex<[[Reminders.Delivery]]>([])

  /// The batch that was handed over first and not asked for yet.
  func next() -> [Reminders.Delivery]? {
    batches.withLock { $0.isEmpty ? nil : $0.removeFirst() }
  }

  func hand(_ deliveries: [Reminders.Delivery], toLane lane: Int) {
    batches.withLock { $0.append(deliveries) }
  }

  func open(lane: Int, for sink: any Sink, _ limits: SinkLimits) {}
  func retire(lane: Int) {}
  func close(lane: Int) {}
  func hand(_ events: [AnalyticsItem], toLane lane: Int) {}
  func openAnalytics(lane: Int, for sink: any AnalyticsSink, _ limits: SinkLimits) {}
  func report(_ notes: Notes) {}
  func report(_ update: ZoneUpdate) {}
  func report(_ note: DeliveryNote) {}
  func report(_ refused: [SettledSubmission]) {}
  func report(_ recipients: [SetAsideRecipient]) {}

  func deliver(_ deliveries: [Reminders.Delivery]) async throws(SinkOutage) -> [SinkAnswer] {
    throw SinkOutage("nobody hands anything to it")
  }
}
