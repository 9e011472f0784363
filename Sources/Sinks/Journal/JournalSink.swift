import CivilTime
package import Outbox
package import Reminders
package import Systemd

/// Writes each delivery to the journal, with title and body: with this sink, recipients read their
/// notifications there (rule S3).
package struct JournalSink: AnalyticsSink {
  package let name: String
  package let type = JournalConfiguration.type
  private let journal: Journal

  package init(name: String = "journal", journal: Journal) {
    self.name = name
    self.journal = journal.unfiltered
  }

  package func deliver(_ deliveries: [Delivery]) async throws(SinkOutage) -> [SinkAnswer] {
    for delivery in deliveries {
      journal.send(
        message: "\(delivery.title): \(delivery.body)", priority: .notice,
        fields: [
          (.recipient, delivery.recipient), (.reminder, delivery.reminder),
          (.notification, delivery.identifier), (.channel, delivery.channel.name),
          (.sink, name),
        ])
    }
    return Array(repeating: .delivered, count: deliveries.count)
  }

  package func deliver(_ events: [AnalyticsItem]) async throws(SinkOutage) -> [SinkAnswer] {
    for event in events {
      let record = event.record.event
      journal.send(
        message: "\(record.name) \(String(decoding: record.parameters, as: UTF8.self))",
        priority: .notice,
        fields: [
          (.recipient, event.record.recipient), (.notification, event.identifier), (.sink, name),
        ])
    }
    return Array(repeating: .delivered, count: events.count)
  }
}

/// `type: journal`: deliveries as entries of the journal.
package struct JournalConfiguration: SinkConfiguration {
  package static let type = "journal"
  package static let acceptsAnalytics = true
  package static let keys: [KeyDescription] = []
  package static let waitsForOthers = false
  package static let acceptsConcurrency = false

  package init() {}

  package init?(reading settings: inout SinkSettings) {}

  package func sink(
    _ common: SinkCommonSettings, in surroundings: SinkEnvironment
  ) throws -> any Sink {
    JournalSink(name: common.name, journal: surroundings.journal)
  }
}
