package import CivilTime
import Reminders
import Store

/// What becomes of people's next days by another catalog, if nothing else is reported: each
/// person's days lived ahead by both, and compared. Of many people a sample is asked.
package struct CatalogTrial: Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    /// It goes out, and was not planned.
    case added
    /// It is not planned any more, and was to go out.
    case cancelled
    /// It goes out at another instant.
    case moved
    /// It was to go out, and a gate drops it.
    case dropped
    /// A gate was to drop it, and it goes out.
    case restored
    /// It goes out on other channels.
    case rerouted
    /// It says something else.
    case reworded
  }

  package struct Change: Hashable, Sendable {
    package var reminder: String
    package var kind: Kind
  }

  package struct Count: Sendable {
    package var notifications = 0
    package var people = 0
    /// Some of those people, for who wants to look.
    package var examples: [String] = []
  }

  /// How many people are named for a change.
  private static let examplesMax = 3

  package var now: Instant
  package var end: Instant
  /// How many people there are, and of how many the days were looked at.
  package var people: Int
  package private(set) var asked = 0
  /// Of these, for how many anything changes.
  package private(set) var changed = 0
  package private(set) var counts: [Change: Count] = [:]

  /// - Parameter changes: of one person, with how many notifications each is about.
  fileprivate mutating func add(_ changes: [Change: Int], of person: String) {
    asked += 1
    if !changes.isEmpty { changed += 1 }
    for (change, number) in changes {
      var count = counts[change] ?? Count()
      count.notifications += number
      count.people += 1
      if count.examples.count < Self.examplesMax { count.examples.append(person) }
      counts[change] = count
    }
  }
}

extension Questions {
  /// After how many firings no further person is looked at: a second of work or so, whatever a
  /// catalog brings.
  private static let firingsMax = 200_000

  /// - Parameter planner: with the other catalog.
  func trial(
    of planner: Planner, days: Int, now: Instant
  ) throws(StoreError) -> CatalogTrial {
    let view = published.view
    let people = try readers.read { reader in
      let rows = Self.sample(through: try reader.lastRecipient())
      return try reader.recipients(rows: rows[...]).map(\.recipient)
    }
    let isWhole = people.count >= view.recipients
    let end = now + .days(days)
    var trial = CatalogTrial(
      now: now, end: end, people: isWhole ? people.count : view.recipients)
    var firings = 0
    for person in people where firings < Self.firingsMax {
      var other = person
      other.replan(from: view.planner, to: planner, now: now)
      let before = Days(of: person, from: now, through: end, by: view.planner)
      let after = Days(of: other, from: now, through: end, by: planner)
      firings += before.count + after.count
      trial.add(before.changes(to: after), of: person.name)
    }
    return trial
  }
}

/// What a person's days bring.
private struct Days {
  private struct Place: Hashable {
    let reminder: Symbol
    let key: Int64
    let channelGroup: ChannelGroup
  }

  private struct Fate {
    let name: String
    /// Nil for what is dropped.
    let at: Instant?
    let channels: ChannelSet
    let title: String
    let body: String
  }

  let count: Int
  private var fates: [Place: Fate] = [:]

  init(of person: Recipient, from now: Instant, through end: Instant, by planner: Planner) {
    let context = PlanningContext(facts: person.facts, planner: planner)
    let firings = person.foreseen(from: now, through: end, planner: planner)
    count = firings.count
    for firing in firings {
      guard case .settled(let outcome) = firing.result, let message = context.message(of: firing)
      else { continue }
      let place = Place(
        reminder: firing.reminder, key: firing.key, channelGroup: firing.channelGroup)
      fates[place] = Fate(
        name: message.reminder, at: outcome == .dropped ? nil : firing.at,
        channels: firing.channels, title: message.title, body: message.body)
    }
  }

  func changes(to other: Days) -> [CatalogTrial.Change: Int] {
    var changes: [CatalogTrial.Change: Int] = [:]
    for place in Set(fates.keys).union(other.fates.keys) {
      let (old, new) = (fates[place], other.fates[place])
      guard let kind = Self.kind(old, new), let name = (new ?? old)?.name else { continue }
      changes[CatalogTrial.Change(reminder: name, kind: kind), default: 0] += 1
    }
    return changes
  }

  private static func kind(_ old: Fate?, _ new: Fate?) -> CatalogTrial.Kind? {
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
