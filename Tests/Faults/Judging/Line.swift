import CivilTime
import Reminders

/// A line about one outcome, for comparing a service with its simulation.
struct Line: Hashable {
  let text: String
  let recipient: String

  init(_ delivery: Reminders.Delivery) {
    self.init(
      .delivered, at: delivery.at, planned: delivery.planned, delivery.recipient,
      delivery.channel, delivery.message)
  }

  init(_ entry: TimelineEntry) {
    self.init(
      entry.outcome, at: entry.at, planned: entry.planned, entry.recipient, entry.channel,
      entry.message)
  }

  init(_ notification: RecordedNotification, _ recipient: String, _ channel: Channel) {
    self.init(
      notification.outcome, at: notification.at, planned: notification.planned, recipient, channel,
      notification.message)
  }

  private init(
    _ outcome: Outcome, at: Instant, planned: Instant, _ recipient: String, _ channel: Channel,
    _ message: Message
  ) {
    self.recipient = recipient
    let occurrence = "\(recipient) \(message.reminder) by \(channel.name) of \(planned)"
    text =
      outcome == .dropped
      ? "\(planned) \(occurrence) dropped"
      : "\(at) \(occurrence): \(message.title): \(message.body)"
  }
}
