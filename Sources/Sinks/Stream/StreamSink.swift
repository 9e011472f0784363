package import Outbox
package import Reminders

/// For channels that are watched: what is recorded is on the person's event stream
/// (`/v1/recipients/{id}/stream`), which reads it from the store, and there is no more to do.
///
/// It shares the transaction of the decision, so it is exactly once (rule D1).
package struct StreamSink: Sink {
  package let name: String
  package let type = StreamConfiguration.type

  package init(name: String) {
    self.name = name
  }

  package func deliver(_ deliveries: [Delivery]) async throws(SinkOutage) -> [SinkAnswer] {
    Array(repeating: .delivered, count: deliveries.count)
  }
}

/// `type: stream`: deliveries are on their recipients' event streams, whoever listens.
package struct StreamConfiguration: SinkConfiguration {
  package static let type = "stream"
  package static let keys: [String] = []
  package static let waitsForOthers = false
  package static let takesConcurrency = false

  package init?(reading settings: inout SinkSettings) {}

  package func sink(
    _ common: SinkCommonSettings, in surroundings: SinkSurroundings
  ) throws -> any Sink {
    StreamSink(name: common.name)
  }
}
