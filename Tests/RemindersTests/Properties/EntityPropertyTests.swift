import CivilTime
import Foundation
import JSON
import TestSupport
import Testing

@testable import Reminders

/// Rule G6: with random catalogs and random days, events of one entity do not affect other
/// entities.
@Suite struct EntityPropertyTests {
  /// More seeds: `CHIMED_SEEDS=300 swift test --filter EntityPropertyTests`.
  private static let seeds: [UInt64] = {
    let count = ProcessInfo.processInfo.environment["CHIMED_SEEDS"].flatMap { UInt64($0) }
    return count.map { Array(1...$0) } ?? Seeds.all
  }()

  @Test(arguments: seeds)
  func `G6: events of one entity do not affect other entities`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<4 {
      var days = try EntityDays(seed: random.next())
      try days.play()
      days.expectIndependent("seed \(seed)\n\(days.catalog)\n\(days.diary)")
    }
  }
}

/// The same random days of a recipient with three entities, and of three recipients with one of
/// these entities each.
private struct EntityDays {
  /// A recipient with all entities or with one of them, and the recipient's finished occurrences.
  private struct Run {
    var recipient: Recipient
    var records: [Record] = []
  }

  private struct Record: Hashable, CustomStringConvertible {
    var reminder: String
    var key: Int64
    var title: String
    var channelGroup: UInt8
    var at: Instant
    var outcome: String

    var isSent: Bool { outcome == "sent" }
    /// The reminder, the channel group, and the key, which is the date of an occurrence of a
    /// series.
    var date: String { "\(reminder) \(channelGroup) \(key)" }

    var description: String { "\(at) \(reminder) \(title) \(outcome) \(channelGroup) \(key)" }
  }

  private static let names = ["a", "b", "c"]
  private static let start = Instant("2026-03-02T06:00:00Z") ?? Instant(milliseconds: 0)

  let catalog: String
  private(set) var diary = ""
  private var random: SplitMix64
  private let planner: Planner
  private var now = start
  private var order: Int64 = 0
  private var jointRun = Run(recipient: Recipient(name: "amina", now: start))
  /// The dates of series that an entity's snooze moved for all entities (rule G9).
  private var movedDates: Set<OccurrenceName> = []
  private var separateRuns: [String: Run]

  init(seed: UInt64) throws {
    random = SplitMix64(seed: seed)
    var valid: (String, Planner)?
    // Some combinations of conditions are errors.
    while valid == nil {
      let text = Self.catalog(&random)
      valid = (try? Fixtures.planner(catalog: text)).map { (text, $0) }
    }
    (catalog, planner) = try #require(valid)
    separateRuns = Dictionary(
      uniqueKeysWithValues: Self.names.map {
        ($0, Run(recipient: Recipient(name: "amina", now: Self.start)))
      })
  }

  // MARK: - Catalogs

  private static func catalog(_ random: inout SplitMix64) -> String {
    let reminders = (0..<random.int(in: 2..<6)).map { index in
      let (trigger, isSeries) = trigger(&random)
      let conditions = conditions(isSeries: isSeries, &random)
        .filter { !isNeverMet($0, by: trigger) }
      return "  r\(index): {category: \(random.pick(["NOTE", "CARE"])), group: notes, "
        + ([trigger] + conditions).joined(separator: ", ")
        + ", expires: \(random.pick(["1h", "6h", "3d"])), "
        + "messages: [{title: '\(isSeries ? "Series" : "Of {{e}}")', body: b}]}"
    }
    return """
      catalog: notes
      events: {book: {e: identifier, at: instant}, meet: {e: identifier, at: instant},
        task: {e: identifier}, seen: {e: identifier}, done: {e: identifier},
        off: {e: identifier}}
      categories:
        NOTE: {title: Notes, channels: {push: true, inapp: true}}
        CARE: {title: Care, urgency: high, quiet: drop, channels: {push: true}}
      groups:
        notes: {enabled: true}
      reminders:
      \(reminders.joined(separator: "\n"))
      """
  }

  private static func trigger(_ random: inout SplitMix64) -> (text: String, isSeries: Bool) {
    let instant = random.pick(["book", "meet"])
    let event = random.pick(["task", "seen", "book"])
    let again = random.isOne(of: 3) ? ", again: {every: 1h, times: 2}" : ""
    switch random.int(in: 0..<7) {
    case 0: return ("before: {event: \(instant), at: at, by: [1h, 3h]}" + again, false)
    case 1: return ("before: {event: \(instant), at: at, by: 26h}", false)
    case 2: return ("past: {event: \(instant), at: at, by: 1h}" + again, false)
    case 3:
      return ("on: {event: \(event), delay: \(random.pick(["0s", "2h", "1d"]))}" + again, false)
    case 4: return ("after: {event: \(event), delay: 3h}", false)
    case 5:
      return ("every: {day: {at: ['08:00', '16:00']}}, since: \(event)", true)
    default: return ("every: {day: {at: '10:00'}}, since: \(event)" + again, true)
    }
  }

  private static func conditions(isSeries: Bool, _ random: inout SplitMix64) -> [String] {
    var conditions: [String] = []
    if random.isOne(of: 2) { conditions.append("cancel: \(random.pick(["off", "done"]))") }
    if random.isOne(of: 3) { conditions.append("unless: \(random.pick(["done", "seen"]))") }
    if random.isOne(of: 6) { conditions.append("from: \(random.pick(["seen", "meet"]))") }
    if random.isOne(of: 6) { conditions.append("having: {event: seen, within: 1d}") }
    if random.isOne(of: 6) { conditions.append("upcoming: {event: meet, at: at, within: 30h}") }
    if isSeries, random.isOne(of: 4) { conditions.append("until: done") }
    if isSeries, random.isOne(of: 6) { conditions.append("pause: {event: off, days: 1}") }
    return conditions
  }

  /// Returns whether a catalog that combines the condition and the trigger would be invalid.
  private static func isNeverMet(_ condition: String, by trigger: String) -> Bool {
    condition.hasPrefix("upcoming: ") && trigger.hasPrefix("past: {event: meet,")
      || condition == "unless: seen" && trigger == "on: {event: seen, delay: 0s}"
  }

  // MARK: - Random days

  mutating func play() throws {
    try setUp()
    for _ in 0..<30 {
      advance(to: now + .minutes(random.int(in: 0..<240)))
      let name = random.pick(Self.names)
      if random.isOne(of: 3) { try command(name) } else { try report(name) }
    }
    advance(to: now + .days(4))
  }

  private mutating func setUp() throws {
    let threshold = random.pick([0, 2])
    var preferences: JSONObject = ["bundling": ["threshold": .integer(Int64(threshold))]]
    if random.isOne(of: 2) {
      preferences["quietHours"] = ["enabled": true, "start": "22:00", "end": "07:00"]
    }
    for name in [nil] + Self.names.map(Optional.some) {
      try take("preferences.updated", .object(preferences), for: name)
    }
    order += 1
  }

  private mutating func advance(to end: Instant) {
    jointRun = advanced(jointRun, to: end)
    for name in Self.names { separateRuns[name] = separateRuns[name].map { advanced($0, to: end) } }
    now = end
  }

  private func advanced(_ run: Run, to end: Instant) -> Run {
    var run = run
    var clock = now
    while true {
      let context = PlanningContext(facts: run.recipient.facts, planner: planner)
      guard let due = run.recipient.schedule(in: context).due, due <= end else { return run }
      clock = max(clock, due)
      for firing in run.recipient.fire(now: clock, in: context).firings {
        run.records += records(firing, context)
      }
    }
  }

  /// Returns the record of a finished occurrence; empty for an unfinished occurrence and for a
  /// digest.
  private func records(_ firing: Firing, _ context: PlanningContext) -> [Record] {
    guard case .finished(let outcome) = firing.result, let message = context.message(of: firing),
      firing.members.isEmpty
    else { return [] }
    return [
      Record(
        reminder: message.reminder, key: firing.key, title: message.title,
        channelGroup: firing.channelGroup.number, at: firing.shownAt,
        outcome: outcome == .dropped ? "dropped \(firing.trace.reasons)" : "sent")
    ]
  }

  // MARK: - Random events

  /// - Parameter name: The entity of the recipient; nil for the recipient with all entities.
  /// - Returns: Whether the event was accepted.
  @discardableResult
  private mutating func take(
    _ type: String, _ data: JSONValue, for name: String?
  ) throws -> Bool {
    let event = try EventReader(planner: planner).event(
      [
        "specversion": "1.0", "id": .string("\(order)"), "source": "test",
        "type": .string(type), "subject": "amina", "time": .string(now.description),
        "data": data,
      ], now: nil)
    var run = name.flatMap { separateRuns[$0] } ?? jointRun
    do {
      try run.recipient.check(event, planner: planner)
    } catch {
      return false
    }
    run.recipient.apply(event, order: order, now: now, planner: planner)
    if let name { separateRuns[name] = run } else { jointRun = run }
    return true
  }

  private mutating func report(_ name: String) throws {
    if random.isOne(of: 8) { return try set(name) }
    let type = random.pick(["book", "meet", "task", "seen", "done", "off", "task", "book"])
    var data: JSONObject = ["e": .string(name)]
    if type == "book" || type == "meet" {
      data["at"] = .string((now + .minutes(60 * random.int(in: 1..<40))).description)
    }
    try reportToBoth(type, .object(data), name)
  }

  /// Changes the settings of an entity (rule P10).
  private mutating func set(_ name: String) throws {
    // Every catalog has push; only some offer in-app notifications.
    let settings: JSONValue = random.pick([
      .null, ["enabled": false], ["enabled": true], ["channels": ["push"]], ["channels": []],
    ])
    try reportToBoth(
      "preferences.updated", ["reminders": ["notes": ["items": [name: settings]]]], name)
  }

  private mutating func reportToBoth(_ type: String, _ data: JSONValue, _ name: String) throws {
    diary += "\(now) \(name) \(type) \(data)\n"
    let isAccepted = try take(type, data, for: nil)
    let isAcceptedAlone = try take(type, data, for: name)
    // Once a date belongs to another entity, it is no longer cancelled and cannot be resumed.
    if isAccepted != isAcceptedAlone, type != "pending.resumed" {
      diary += "  refused by one of the two recipients\n"
    }
    order += 1
  }

  /// Reports a command about an occurrence that belongs only to this entity.
  private mutating func command(_ name: String) throws {
    guard let separate = separateRuns[name]?.recipient else { return }
    let type = random.pick([
      "pending.cancelled", "pending.cancelled", "pending.snoozed", "pending.resumed",
    ])
    let pending =
      type == "pending.resumed"
      ? separate.cancelled(now: now, planner: planner)
      : separate.pending(now: now, planner: planner)
    let context = PlanningContext(facts: jointRun.recipient.facts, planner: planner)
    let others = datesOfOthers(than: name, separate)
    let candidates = pending.filter { entry in
      guard let reminder = planner.catalog.reminder(entry.reminder) else { return false }
      // Only the first pending date can be named.
      if others.contains(where: { $0.reminder == entry.reminder && $0.key < entry.key }) {
        return false
      }
      // An occurrence of a series for several entities belongs to all of them.
      return context.entities(of: reminder, key: entry.key)?.map(\.identifier) == [name]
    }
    guard !candidates.isEmpty else { return }
    let entry = random.pick(candidates)
    guard let reminder = planner.catalog.reminder(entry.reminder) else { return }
    var data: JSONObject = [
      "reminder": .string(reminder.identifier), "occurrence": .string("\(entry.key)"),
    ]
    if type == "pending.snoozed" {
      let first = reminder.repeated ?? reminder.symbol
      movedDates.insert(OccurrenceName(reminder: first, key: entry.key))
      data["for"] = .string("\(random.int(in: 1..<180))m")
    } else if random.isOne(of: 2) {
      data["series"] = true
    }
    try reportToBoth(type, .object(data), name)
  }

  /// Returns the pending dates that are not pending for the entity alone: the dates of other
  /// entities, and cancelled dates that became dates of a further entity (rule G9).
  private func datesOfOthers(than name: String, _ separate: Recipient) -> [OccurrenceName] {
    let context = PlanningContext(facts: jointRun.recipient.facts, planner: planner)
    return jointRun.recipient.pending(now: now, planner: planner).filter { entry in
      guard let reminder = planner.catalog.reminder(entry.reminder) else { return false }
      let entities = context.entities(of: reminder, key: entry.key)?.map(\.identifier)
      let base = reminder.repeated ?? reminder.symbol
      return entities?.contains(name) == false
        || separate.progress.isCancelled(base, key: entry.key)
    }.map { OccurrenceName(reminder: $0.reminder, key: $0.key) }
  }

  // MARK: - Expectations

  func expectIndependent(_ comment: @autoclosure () -> String) {
    var problems: [String] = []
    if diary.contains("refused by one") {
      problems.append("a command was refused by one of the two recipients")
    }
    for name in Self.names {
      let separateRecords = Set(separateRuns[name]?.records ?? [])
      let jointRecords = Set(jointRun.records)
      let sentDates = Set(jointRun.records.filter(\.isSent).map(\.date))
      for record in separateRecords where !jointRecords.contains(record) {
        if isReplaced(record) || isSeries(record) && sentDates.contains(record.date) { continue }
        if isMoved(record) { continue }
        problems.append("\(name) alone: \(record)")
      }
      for record in jointRecords
      where record.title == "Of \(name)" && !separateRecords.contains(record) {
        problems.append("\(name) with others: \(record)")
      }
    }
    let text = problems.sorted().joined(separator: "\n")
    #expect(problems.isEmpty, "\(text)\n\(comment())")
  }

  /// Returns whether an event of another entity may replace an occurrence: `after` follows the
  /// latest event, and only the latest of a series' overdue dates is sent.
  private func isReplaced(_ record: Record) -> Bool {
    let name = record.reminder.split(separator: "+")[0]
    guard let reminder = planner.catalog.reminder(Symbol(String(name))) else { return false }
    if case .after = reminder.trigger { return true }
    return isSeries(record) && !record.isSent
  }

  /// Returns whether a snooze may have moved a record's date beyond the end of its own entity.
  private func isMoved(_ record: Record) -> Bool {
    let name = record.reminder.split(separator: "+")[0]
    return isSeries(record)
      && movedDates.contains(OccurrenceName(reminder: Symbol(String(name)), key: record.key))
  }

  /// Returns whether a record belongs to a date of a series. All entities of the series share the
  /// date, so a snooze moves it for all.
  private func isSeries(_ record: Record) -> Bool { record.title == "Series" }
}
