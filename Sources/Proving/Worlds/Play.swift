import CivilTime
import JSON
import Reminders

/// The notifications of a world, as the service would decide them.
struct Play: Sendable {
  /// The lines that `chimed simulate` prints.
  let entries: [TimelineEntry]

  /// Plays a world. Events that the service would refuse have no effect.
  ///
  /// - Throws: `UnfinishedPlan` if a recipient's planning does not end.
  init(_ world: World, _ planner: Planner) throws {
    let reader = EventReader(planner: planner)
    let events = world.acts.compactMap { try? reader.event($0.document, now: nil) }
    var simulation = Simulation(planner: planner, events: events, until: world.until)
    var entries: [TimelineEntry] = []
    try simulation.run { entries += $0 }
    self.entries = entries
  }

  var delivered: [TimelineEntry] { entries.filter { $0.outcome == .delivered } }

  /// The delivered lines without their texts, which may differ between equal decisions.
  var deliveries: Set<LineKey> { Set(delivered.map(LineKey.init)) }
}

/// Identifies a line of a timeline by the decision, without its text.
struct LineKey: Hashable, Sendable {
  let recipient: String
  let reminder: String
  let channel: Channel
  let at: Instant

  init(_ entry: TimelineEntry) {
    (recipient, reminder) = (entry.recipient, entry.message.reminder)
    (channel, at) = (entry.channel, entry.at)
  }
}
