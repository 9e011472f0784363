import CivilTime
import Reminders
import Simulation

/// What a life in which a clock that was wrong has been believed must have said all the same: each
/// of what a simulation says, be it earlier, later, or as a part of a digest.
struct Completeness {
  private struct Place: Hashable {
    let recipient: String
    let reminder: String
    let channel: Channel
  }

  /// By who was told of what on which channel, the planned instants.
  private var said: [Place: [Instant]] = [:]
  private let repeating: Set<String>

  init(_ planner: Planner) {
    repeating = Set(planner.catalog.reminders.filter(\.isRepeating).map(\.identifier))
  }

  private func isMilestone(_ reminder: String) -> Bool { reminder.hasPrefix("milestone-") }

  mutating func add(_ delivery: Reminders.Delivery) {
    let place = Place(
      recipient: delivery.recipient, reminder: delivery.reminder, channel: delivery.channel)
    said[place, default: []].append(delivery.planned)
  }

  mutating func add(_ kept: KeptNotification, of recipient: String) {
    guard kept.outcome != .dropped else { return }
    for channel in kept.channels.channels {
      let place = Place(
        recipient: recipient, reminder: kept.message.reminder, channel: channel)
      said[place, default: []].append(kept.planned)
    }
  }

  /// What is missing of it. What comes once on each date may have been said at that date's other
  /// time, before a preference changed; and a milestone that is reported when it was foreseen,
  /// while the clock was days ahead (rule I4).
  func lacks(_ entry: TimelineEntry) -> String? {
    guard entry.outcome == .delivered, entry.message.reminder != Digest.identifier else {
      return nil
    }
    let place = Place(
      recipient: entry.recipient, reminder: entry.message.reminder, channel: entry.channel)
    let leeway =
      repeating.contains(place.reminder)
      ? TimeSpan.hours(25) : isMilestone(place.reminder) ? .days(4) : .milliseconds(1)
    let isSaid = (said[place] ?? []).contains {
      max($0 - entry.planned, entry.planned - $0) < leeway
    }
    guard !isSaid else { return nil }
    return "\(entry.at) \(place.recipient) \(place.reminder) by \(place.channel.name) of "
      + "\(entry.planned)"
  }
}
