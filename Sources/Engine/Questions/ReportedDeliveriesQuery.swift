package import CivilTime
package import Reminders
package import Store

/// Selects the deliveries that a sink's service reports. A delivery's id is its notification's id
/// with the channel (`k3x-17-sms`), or without it (`k3x-17`) if the sink had the notification on
/// one channel. The answer omits unknown deliveries, deliveries that the sink never had, and ids
/// that may mean several deliveries. A bounce must not suppress the address of another channel.
package struct ReportedDeliveriesQuery: EngineQuery {
  /// The name of the sink whose service reports.
  package var sink: String
  /// The reported ids, which are also the keys of the answer.
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
    let notifications = try reader.notifications(numbers)
    let states = try reader.deliveryStates(of: Array(notifications.keys))
    let rows = Set(notifications.values.map(\.row)).sorted()
    let recipients = Dictionary(
      try reader.recipients(rows: rows[...]).map { ($0.row, $0.recipient.name) },
      uniquingKeysWith: { first, _ in first })
    var reported: [String: ReportedDelivery] = [:]
    for id in ids {
      guard let number = questions.number(of: id.notification),
        let notification = notifications[number],
        let recipient = recipients[notification.row],
        let state = id.delivery(among: states[number] ?? [], of: sink)
      else { continue }
      let attempt = state.attempts.last { $0.sink == sink && $0.verdict.isAttempt }
      reported[id.text] = ReportedDelivery(
        notification: id.notification, recipient: recipient, channel: state.channel,
        sent: attempt?.at ?? notification.past.at)
    }
    return reported
  }
}

/// The id of a reported delivery: the notification's id, with or without the channel.
private struct ReportedID {
  /// The id as it was reported.
  let text: String
  /// The id of the notification.
  let notification: String
  /// The channel; nil selects the only channel on which the sink had the notification.
  private let channel: Channel?

  init(_ text: String) {
    self.text = text
    channel = Channel.allCases.first { text.hasSuffix("-" + $0.name) }
    notification = channel.map { String(text.dropLast($0.name.count + 1)) } ?? text
  }

  /// Returns the notification's delivery by the sink; nil if there is none, or more than one.
  func delivery(among states: [DeliveryState], of sink: String) -> DeliveryState? {
    let sent = states.filter { state in
      state.channel != .inapp && state.channel == channel ?? state.channel
        && state.wasSent(by: sink)
    }
    return sent.count == 1 ? sent[0] : nil
  }
}

/// A delivery that a service reports.
package struct ReportedDelivery: Hashable, Sendable {
  /// The id of the notification, without a channel.
  package var notification: String
  /// The recipient's name.
  package var recipient: String
  package var channel: Channel
  /// When the sink's last recorded attempt took place; if none is recorded, when the notification
  /// was decided.
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
