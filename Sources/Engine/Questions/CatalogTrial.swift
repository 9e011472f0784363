package import CivilTime
package import Reminders
package import Store

/// Compares the recipients' next days under another catalog with the same days under the current
/// one.
package struct CatalogTrialQuery: EngineQuery {
  package static var burden: QueryBurden { .trial }

  /// The planner with the other catalog.
  package var planner: Planner
  /// The number of days to compare, from now on.
  package var days: Int

  package init(of planner: Planner, days: Int) {
    self.planner = planner
    self.days = days
  }

  /// The simulation stops after this many firings: about a second of work.
  private static let firingsMax = 200_000

  package func answer(
    from questions: Questions, now: Instant
  ) throws(StoreError) -> CatalogTrial {
    let view = questions.published.view
    let people = try questions.readers.read { reader in
      let rows = Questions.sample(through: try reader.lastRecipient())
      return try reader.recipients(rows: rows[...]).map(\.recipient)
    }
    let isComplete = people.count >= view.recipients
    let end = now + .days(days)
    var trial = CatalogTrial(
      now: now, end: end, people: isComplete ? people.count : view.recipients)
    var firings = 0
    for person in people where firings < Self.firingsMax {
      let results = person.answer { person in
        var replanned = person
        replanned.replan(from: view.planner, to: planner, now: now)
        return (
          SimulatedDays(of: person, from: now, through: end, by: view.planner),
          SimulatedDays(of: replanned, from: now, through: end, by: planner)
        )
      }
      // A recipient whose planning exceeds its bound is not part of the sample.
      guard case .success(let (current, other)) = results else { continue }
      firings += current.count + other.count
      trial.add(current.changes(to: other), of: person.name)
    }
    return trial
  }
}

/// The effect of another catalog on the coming days if no event arrives. A sample of recipients is
/// simulated with both catalogs, and the results are compared.
package struct CatalogTrial: Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    /// Only the other catalog sends the notification.
    case added
    /// Only the current catalog sends the notification: the other one does not plan it.
    case cancelled
    /// The notification is sent at another instant.
    case moved
    /// The current catalog sends the notification; with the other one, a gate drops it.
    case dropped
    /// With the current catalog, a gate drops the notification; the other catalog sends it.
    case restored
    /// The notification is sent on other channels.
    case rerouted
    /// The notification is sent with another text.
    case reworded
  }

  package struct Change: Hashable, Sendable {
    package var reminder: String
    package var kind: Kind
  }

  package struct Count: Sendable {
    /// The number of changed notifications.
    package var notifications = 0
    /// The number of recipients of these notifications.
    package var people = 0
    /// The ids of up to 3 of the counted recipients.
    package var examples: [String] = []
  }

  /// The number of example recipients per change.
  private static let examplesMax = 3

  /// The start of the compared days.
  package var now: Instant
  /// The end of the compared days.
  package var end: Instant
  /// The number of recipients, of which `simulatedCount` were simulated.
  package var people: Int
  package private(set) var simulatedCount = 0
  /// The number of simulated recipients with any change.
  package private(set) var changedCount = 0
  package private(set) var counts: [Change: Count] = [:]

  /// Adds a simulated recipient.
  ///
  /// - Parameter changes: the changes of one recipient, with their numbers of notifications.
  fileprivate mutating func add(_ changes: [Change: Int], of person: String) {
    simulatedCount += 1
    if !changes.isEmpty { changedCount += 1 }
    for (change, number) in changes {
      var count = counts[change] ?? Count()
      count.notifications += number
      count.people += 1
      if count.examples.count < Self.examplesMax { count.examples.append(person) }
      counts[change] = count
    }
  }
}

/// The simulated notifications of a recipient.
private struct SimulatedDays {
  private struct OccurrenceID: Hashable {
    let reminder: Symbol
    /// The key that identifies the occurrence among those of its reminder.
    let key: Int64
    let channelGroup: ChannelGroup
  }

  private struct Outcome {
    /// The name of the reminder.
    let name: String
    /// The instant of the notification; nil for a dropped one.
    let at: Instant?
    let channels: ChannelSet
    let title: String
    let body: String
  }

  /// The number of simulated firings.
  let count: Int
  private var outcomes: [OccurrenceID: Outcome] = [:]

  init(of person: Recipient, from now: Instant, through end: Instant, by planner: Planner) {
    let context = PlanningContext(facts: person.facts, planner: planner)
    let firings = person.limitedSimulatedFirings(from: now, through: end, planner: planner)
    count = firings.count
    for firing in firings {
      guard case .finished(let outcome) = firing.result, let message = context.message(of: firing)
      else { continue }
      let id = OccurrenceID(
        reminder: firing.reminder, key: firing.key, channelGroup: firing.channelGroup)
      outcomes[id] = Outcome(
        name: message.reminder, at: outcome == .dropped ? nil : firing.at,
        channels: firing.channels, title: message.title, body: message.body)
    }
  }

  /// Returns the number of notifications with each change from this simulation to another one.
  func changes(to other: SimulatedDays) -> [CatalogTrial.Change: Int] {
    var changes: [CatalogTrial.Change: Int] = [:]
    for id in Set(outcomes.keys).union(other.outcomes.keys) {
      let (old, new) = (outcomes[id], other.outcomes[id])
      guard let kind = Self.kind(old, new), let name = (new ?? old)?.name else { continue }
      changes[CatalogTrial.Change(reminder: name, kind: kind), default: 0] += 1
    }
    return changes
  }

  /// Returns how an occurrence's outcome changes; nil if it does not change.
  private static func kind(_ old: Outcome?, _ new: Outcome?) -> CatalogTrial.Kind? {
    switch (old, new) {
    case (nil, nil): return nil
    case (nil, let new?): return new.at == nil ? nil : .added
    case (let old?, nil): return old.at == nil ? nil : .cancelled
    case (let old?, let new?):
      switch (old.at, new.at) {
      case (nil, nil): return nil
      case (nil, _): return .restored
      case (_, nil): return .dropped
      case (let before, let after) where before != after: return .moved
      default:
        if old.channels != new.channels { return .rerouted }
        return old.title == new.title && old.body == new.body ? nil : .reworded
      }
    }
  }
}
