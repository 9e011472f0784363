package import Outbox
package import Reminders

/// A sink for channels that clients watch. The recipient's event stream
/// (`/v1/recipients/{id}/stream`) reads recorded notifications and withdrawals from the store, so
/// this sink does nothing.
///
/// A notification is recorded in the same transaction as the outcome of its gates. So it is
/// delivered exactly once (rule D1).
package struct StreamSink: Sink {
  package let name: String
  package let type = StreamConfiguration.type
  package let canWithdraw = true

  package init(name: String) {
    self.name = name
  }

  package func deliver(_ deliveries: [Delivery]) async throws(SinkOutage) -> [SinkAnswer] {
    Array(repeating: .delivered, count: deliveries.count)
  }
}

/// `type: stream`: deliveries on the recipients' event streams, whether or not a client reads them.
package struct StreamConfiguration: SinkConfiguration {
  package static let type = "stream"
  package static let keys: [KeyDescription] = []
  package static let waitsForOthers = false
  package static let acceptsConcurrency = false

  package init?(reading settings: inout SinkSettings) {}

  package func sink(
    _ common: SinkCommonSettings, in surroundings: SinkEnvironment
  ) throws -> any Sink {
    StreamSink(name: common.name)
  }
}
