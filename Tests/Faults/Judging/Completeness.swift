import CivilTime
import Reminders

/// Checks that a run with a trusted leap of the clock has all deliveries of a simulation. In the
/// run, a delivery may be earlier or later, or in a digest.
struct Completeness {
  private struct Destination: Hashable {
    let recipient: String
    let reminder: String
    let channel: Channel
  }

  /// The planned instants of deliveries, by recipient, reminder and channel.
  private var plannedInstants: [Destination: [Instant]] = [:]
  private let repeatingReminders: Set<String>

  init(_ planner: Planner) {
    repeatingReminders = Set(planner.catalog.reminders.filter(\.isRepeating).map(\.identifier))
  }

  private func isMilestone(_ reminder: String) -> Bool { reminder.hasPrefix("milestone-") }

  mutating func add(_ delivery: Reminders.Delivery) {
    let destination = Destination(
      recipient: delivery.recipient, reminder: delivery.reminder, channel: delivery.channel)
    plannedInstants[destination, default: []].append(delivery.planned)
  }

  mutating func add(_ notification: RecordedNotification, of recipient: String) {
    guard notification.outcome != .dropped else { return }
    for channel in notification.channels.channels {
      let destination = Destination(
        recipient: recipient, reminder: notification.message.reminder, channel: channel)
      plannedInstants[destination, default: []].append(notification.planned)
    }
  }

  /// Returns a line about a delivery of the simulation that the run lacks; nil if the run has it.
  /// The run may have delivered a daily occurrence at another time of its date, before a preference
  /// changed. A milestone may have been reported while the clock was days ahead (rule I4).
  func missingLine(for entry: TimelineEntry) -> String? {
    guard entry.outcome == .delivered, entry.message.reminder != Digest.identifier else {
      return nil
    }
    let destination = Destination(
      recipient: entry.recipient, reminder: entry.message.reminder, channel: entry.channel)
    let leeway =
      repeatingReminders.contains(destination.reminder)
      ? TimeSpan.hours(25) : isMilestone(destination.reminder) ? .days(4) : .milliseconds(1)
    let isSent = (plannedInstants[destination] ?? []).contains {
      max($0 - entry.planned, entry.planned - $0) < leeway
    }
    guard !isSent else { return nil }
    return
      "\(entry.at) \(destination.recipient) \(destination.reminder) "
      + "by \(destination.channel.name) of "
      + "\(entry.planned)"
  }
}
