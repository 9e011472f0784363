import CivilTime
package import Delivery
package import Reminders
package import Systemd

/// Writes each delivery as an entry of the journal, title and body included: here the journal is
/// where people see it (rule S3).
package struct JournalSink: Sink {
  package let name: String
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
}
