import CivilTime
import Engine
import Reminders
import Store

extension Stage {
  /// The outcome of each occurrence, one line for each channel, sorted. Deliveries have the text
  /// that the sink got. Drops have no text.
  var timeline: [String] {
    get throws {
      var deliveries: [String: Reminders.Delivery] = [:]
      for delivery in try droppedOrHeld(interrupted) + attempts {
        deliveries[delivery.identifier] = delivery
      }
      return notes.flatMap { note in
        note.channels.channels.compactMap { Self.line(note, $0, deliveries) }
      }.sorted()
    }
  }

  /// Returns the deliveries that the gates dropped or held at a repeated attempt. An event of the
  /// same instant may have cancelled them, or held them until their recipient was erased.
  private func droppedOrHeld(_ deliveries: [Reminders.Delivery]) throws -> [Reminders.Delivery] {
    try core().store.commit { transaction in
      let numbers = deliveries.map(\.notification)
      let (recorded, states) = (
        try transaction.recorded(among: numbers), try transaction.deliveryStates(of: numbers)
      )
      return deliveries.filter { delivery in
        let attempts = states[delivery.notification, default: []].flatMap(\.attempts)
        let isDropped = attempts.contains {
          $0.channel == delivery.channel && $0.verdict == .dropped
        }
        return isDropped || !recorded.contains(delivery.notification)
      }
    }
  }

  static func line(
    _ note: OccurrenceNote, _ channel: Channel, _ deliveries: [String: Reminders.Delivery]
  ) -> String? {
    let about = "\(note.recipient) \(note.reminder) \(channel)"
    switch note.kind {
    case .held, .bundled: return nil
    case .dropped:
      return "\(note.planned) \(about) x of \(note.planned) \(note.reasons)"
    case .delivered:
      let delivery = note.notification.flatMap { deliveries[$0] }
      let text = delivery.map { "\($0.title): \($0.body)" } ?? "never dispatched"
      return "\(delivery?.at ?? note.planned) \(about) > of \(note.planned) \(note.reasons) \(text)"
    }
  }

  /// A line for each accepted delivery, in order, such as
  /// "2026-03-02T21:00:00.000Z amina daily-checkin-reminder".
  var deliveryLines: [String] {
    delivered.map { "\($0.at) \($0.recipient) \($0.reminder)" }
  }
}

/// Returns the timeline of a simulation of the same events.
func simulatedTimeline(_ events: [Event], _ planner: Planner, until: Instant) throws -> [String] {
  var simulation = Simulation(planner: planner, events: events, until: until)
  var lines: [String] = []
  try simulation.run { entries in
    lines += entries.map { entry in
      let about = "\(entry.recipient) \(entry.message.reminder) \(entry.channel)"
      let reasons = entry.trace.isClear ? [] : entry.trace.reasons
      let shownMessage = entry.shownMessage
      let text = "\(shownMessage.title): \(shownMessage.body)"
      return entry.outcome == .dropped
        ? "\(entry.planned) \(about) x of \(entry.planned) \(reasons)"
        : "\(entry.at) \(about) > of \(entry.planned) \(reasons) \(text)"
    }
  }
  return lines.sorted()
}
