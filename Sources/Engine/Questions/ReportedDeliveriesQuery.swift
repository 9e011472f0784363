package import CivilTime
package import Reminders
package import Store

/// Selects the deliveries that a sink's service reports, by their ids: those of notifications, or
/// with the channel (`k3x-17-sms`). Deliveries that are unknown, or that the sink never had, are
/// left out.
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
    let ids = deliveries.map { ReportedID($0) }
    let numbers = Set(ids.compactMap { questions.number(of: $0.notification) }).sorted()
    let found = try reader.notifications(numbers)
    let states = try reader.deliveryStates(of: Array(found.keys))
    let rows = Set(found.values.map(\.row)).sorted()
    let recipients = Dictionary(
      try reader.recipients(rows: rows[...]).map { ($0.row, $0.recipient.name) },
      uniquingKeysWith: { first, _ in first })
    var reported: [String: ReportedDelivery] = [:]
    for id in ids {
      guard let number = questions.number(of: id.notification), let notification = found[number],
        let recipient = recipients[notification.row],
        let state = states[number]?.first(where: { state in
          state.wasSent(by: sink) && id.channel.map { $0 == state.channel } ?? true
        })
      else { continue }
      reported[id.text] = ReportedDelivery(
        notification: id.notification, recipient: recipient, channel: state.channel,
        sent: state.attempts.last { $0.sink == sink }?.at ?? notification.past.at)
    }
    return reported
  }
}

/// The id of a reported delivery: of its notification, perhaps with the channel.
private struct ReportedID {
  let text: String
  let notification: String
  /// Nil for the first channel of the sink.
  let channel: Channel?

  init(_ text: String) {
    self.text = text
    channel = Channel.allCases.first { text.hasSuffix("-" + $0.name) }
    notification = channel.map { String(text.dropLast($0.name.count + 1)) } ?? text
  }
}

/// A delivery that a service reports.
package struct ReportedDelivery: Hashable, Sendable {
  package var notification: String
  package var recipient: String
  package var channel: Channel
  /// The instant of the sink's last recorded attempt, or of the decision.
  package var sent: Instant

  package init(
    notification: String, recipient: String, channel: Channel, sent: Instant
  ) {
    self.notification = notification
    (self.recipient, self.channel, self.sent) = (recipient, channel, sent)
  }
}

extension DeliveryState {
  fileprivate func wasSent(by sink: String) -> Bool {
    self.sink == sink || attempts.contains { $0.sink == sink }
  }
}
