import CivilTime
import Reminders
import Simulation

/// One line of a timeline, by which what a service did is compared with what a simulation prints.
struct Line: Hashable {
  let text: String
  let recipient: String

  init(_ delivery: Reminders.Delivery) {
    self.init(
      .delivered, at: delivery.at, planned: delivery.planned, delivery.recipient,
      delivery.channel, delivery.caption)
  }

  init(_ entry: TimelineEntry) {
    self.init(
      entry.outcome, at: entry.at, planned: entry.planned, entry.recipient, entry.channel,
      entry.caption)
  }

  init(_ kept: KeptNotification, _ recipient: String, _ channel: Channel) {
    self.init(
      kept.outcome, at: kept.at, planned: kept.planned, recipient, channel, kept.caption)
  }

  private init(
    _ outcome: Outcome, at: Instant, planned: Instant, _ recipient: String, _ channel: Channel,
    _ caption: Message
  ) {
    self.recipient = recipient
    let about = "\(recipient) \(caption.reminder) by \(channel.name) of \(planned)"
    text =
      outcome == .dropped
      ? "\(planned) \(about) dropped"
      : "\(at) \(about): \(caption.title): \(caption.body)"
  }
}
