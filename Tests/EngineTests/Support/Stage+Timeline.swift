import CivilTime
import Engine
import Reminders
import Simulation
import Store

extension Stage {
  /// What came of each occurrence, a line for each channel, sorted: what was said as the sink had
  /// it, what was dropped as the operator was told.
  var timeline: [String] {
    get throws {
      var said: [String: Reminders.Delivery] = [:]
      for delivery in try stopped(interrupted) + attempts { said[delivery.identifier] = delivery }
      return notes.flatMap { note in
        note.channels.channels.compactMap { Self.line(note, $0, said) }
      }.sorted()
    }
  }

  /// Those deliveries that were kept from being made again: an event of the same instant may have
  /// taken back what they speak of, or held them until their person was erased.
  private func stopped(_ deliveries: [Reminders.Delivery]) throws -> [Reminders.Delivery] {
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
    _ note: Note, _ channel: Channel, _ said: [String: Reminders.Delivery]
  ) -> String? {
    let about = "\(note.recipient) \(note.reminder) \(channel)"
    switch note.kind {
    case .held, .bundled: return nil
    case .dropped:
      return "\(note.planned) \(about) x of \(note.planned) \(note.reasons)"
    case .delivered:
      let delivery = note.notification.flatMap { said[$0] }
      let text = delivery.map { "\($0.title): \($0.body)" } ?? "never handed over"
      return "\(delivery?.at ?? note.planned) \(about) > of \(note.planned) \(note.reasons) \(text)"
    }
  }

  /// The timeline without dates: "21:00 daily-checkin-reminder" for what was delivered, with the
  /// planned time if it is another and the reasons if there are any.
  var said: [String] {
    delivered.map { "\($0.at) \($0.recipient) \($0.reminder)" }
  }
}

/// The timeline of a simulation of the same events.
func simulated(_ events: [Event], _ planner: Planner, until: Instant) throws -> [String] {
  var simulation = Simulation(planner: planner, events: events, until: until)
  var lines: [String] = []
  try simulation.run { entries in
    lines += entries.map { entry in
      let about = "\(entry.recipient) \(entry.message.reminder) \(entry.channel)"
      let reasons = entry.trace.isClear ? [] : entry.trace.reasons
      let text = "\(entry.message.title): \(entry.message.body)"
      return entry.outcome == .dropped
        ? "\(entry.planned) \(about) x of \(entry.planned) \(reasons)"
        : "\(entry.at) \(about) > of \(entry.planned) \(reasons) \(text)"
    }
  }
  return lines.sorted()
}
