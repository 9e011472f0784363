package import CivilTime
package import Reminders
package import Store

/// Selects the deliveries that a sink's service reports, by their ids. Deliveries that are unknown,
/// or that the sink never had, are left out.
package struct ReportedDeliveriesQuery: EngineQuery {
  package var sink: String
  package var deliveries: [String]

  package init(of sink: String, _ deliveries: [String]) {
    (self.sink, self.deliveries) = (sink, deliveries)
  }

  package func answer(
    from questions: Questions, now: Instant
  ) throws(StoreError) -> [String: ReportedDelivery] {
    try questions.readers.read { try reported(in: $0, questions) }
  }

  private func reported(
    in reader: any StoreReader, _ questions: Questions
  ) throws -> [String: ReportedDelivery] {
    let numbers = Set(deliveries.compactMap(questions.number)).sorted()
    let found = try reader.notifications(numbers)
    let states = try reader.deliveryStates(of: Array(found.keys))
    let rows = Set(found.values.map(\.row)).sorted()
    let recipients = Dictionary(
      try reader.recipients(rows: rows[...]).map { ($0.row, $0.recipient.name) },
      uniquingKeysWith: { first, _ in first })
    var reported: [String: ReportedDelivery] = [:]
    for (number, notification) in found {
      guard let recipient = recipients[notification.row],
        let state = states[number]?.first(where: { $0.wasSent(by: sink) })
      else { continue }
      reported[questions.identifier(of: number)] = ReportedDelivery(
        recipient: recipient, channel: state.channel,
        sent: state.attempts.first { $0.sink == sink }?.at ?? notification.past.at)
    }
    return reported
  }
}

/// A delivery that a service reports.
package struct ReportedDelivery: Hashable, Sendable {
  package var recipient: String
  package var channel: Channel
  /// The instant of the sink's first recorded attempt, or of the decision.
  package var sent: Instant

  package init(recipient: String, channel: Channel, sent: Instant) {
    (self.recipient, self.channel, self.sent) = (recipient, channel, sent)
  }
}

extension DeliveryState {
  fileprivate func wasSent(by sink: String) -> Bool {
    self.sink == sink || attempts.contains { $0.sink == sink }
  }
}
