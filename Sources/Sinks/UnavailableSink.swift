package import Outbox
package import Reminders

/// Replaces a configured sink that cannot be created, such as one whose secret is missing.
///
/// Every batch is answered with an outage: deliveries wait or use the fallback, as with any sink
/// that is down. A reload creates the configured sink once that is possible (rule S9).
package struct UnavailableSink: AnalyticsSink {
  package let name: String
  package let type: String
  /// Why the sink could not be created, and what to do; for operators.
  package let reason: String

  package init(name: String, type: String, reason: String) {
    (self.name, self.type, self.reason) = (name, type, reason)
  }

  package var whyUnavailable: String? { reason }

  package func deliver(_ deliveries: [Delivery]) async throws(SinkOutage) -> [SinkAnswer] {
    throw SinkOutage(reason)
  }

  package func deliver(_ events: [AnalyticsItem]) async throws(SinkOutage) -> [SinkAnswer] {
    throw SinkOutage(reason)
  }
}
