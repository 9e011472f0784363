import CivilTime
import Foundation
import JSON
import Reminders
import TestSupport
import Testing

/// Rules N4 and N7: random days with snoozes, cancellations, resumptions and finished entities.
@Suite struct SnoozePropertyTests {
  private static let seeds: [UInt64] = {
    let environmentSeed = ProcessInfo.processInfo.environment["CHIMED_SEED"].flatMap { UInt64($0) }
    return environmentSeed.map { [$0] } ?? [1, 2, 3, 4, 5, 6, 7, 8, .random(in: 0 ... .max)]
  }()

  @Test(arguments: seeds)
  func `N4: a snooze moves an occurrence and changes no other occurrence`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<12 {
      var days = try SnoozedDays(seed: random.next())
      try days.simulateDays()
      days.expectConsistent("seed \(seed)")
      try days.expectSimulated("seed \(seed)")
    }
  }
}

/// Some days of a recipient, processed as the service does it.
private struct SnoozedDays {
  private static let catalog = """
    catalog: c
    events: {booked: {appointment: identifier, at: instant}, cancelled: {appointment: identifier},
      taken: {}, opened: {task: identifier}, done: {task: identifier}}
    categories:
      NOTE: {title: Notes, channels: {push: true, inapp: true}}
      CARE: {title: Care, urgency: critical, channels: {push: true}}
    groups:
      notes: {enabled: true}
    reminders:
      visit: {category: NOTE, group: notes, before: {event: booked, at: at, by: 2h},
        cancel: [cancelled], expires: 4h, messages: [{title: Visit, body: A note.}]}
      pill: {category: CARE, group: notes, every: {day: {at: "08:00"}}, unless: taken,
        again: {every: 30m, times: 2}, expires: 4h, messages: [{title: Pill, body: A note.}]}
      task: {category: NOTE, group: notes, on: {event: opened, delay: 0s}, cancel: [done],
        expires: 4h,
        messages: [{title: One, body: A note.}, {title: Two, body: A note.}]}
    """
  private static let start = Instant("2026-03-02T06:00:00Z") ?? Instant(milliseconds: 0)

  private struct Name: Hashable {
    var reminder: String
    var key: Int64
  }

  private struct Sent {
    var name: Name
    var channels: ChannelSet
    var at: Instant
  }

  private var random: SplitMix64
  private let planner: Planner
  private var recipient = Recipient(name: "amina", now: start)
  private var now = start
  private var number = 0
  private var isCreated = false
  private var events: [Event] = []
  private var sent: [Sent] = []
  private var finished: [String] = []
  /// All snoozes, each with its start and end.
  private var snoozes: [(name: Name, at: Instant, end: Instant)] = []
  /// The instants after which an entity may cause no notification.
  private var ends: [(keys: Set<Int64>, at: Instant)] = []
  private var problems: [String] = []
  private var tasks: [String: Int64] = [:]

  init(seed: UInt64) throws {
    random = SplitMix64(seed: seed)
    planner = try Fixtures.planner(catalog: Self.catalog)
  }

  // MARK: - Playing

  mutating func simulateDays() throws {
    for _ in 0..<40 {
      let forecast = self.forecast
      let from = now
      advance(to: now + .minutes(Int.random(in: 0...180, using: &random)))
      compare(forecast, from: from)
      try reportSomething()
      advance(to: now)
    }
    advance(to: now + .days(3))
  }

  /// The instants at which the pending occurrences are expected to be delivered.
  private var forecast: [Name: Set<Instant>] {
    var forecast: [Name: Set<Instant>] = [:]
    for pending in recipient.pending(now: now, planner: planner)
    where pending.decision.outcome != .dropped {
      guard let reminder = planner.catalog.reminder(pending.reminder) else { continue }
      let name = Name(reminder: reminder.identifier, key: pending.key)
      forecast[name, default: []].insert(pending.decision.at)
    }
    return forecast
  }

  private mutating func compare(_ forecast: [Name: Set<Instant>], from: Instant) {
    let new = sent.filter { $0.at > from }
    for (name, instants) in forecast {
      for instant in instants where instant <= now && instant > from {
        guard !new.contains(where: { $0.name == name && $0.at == instant }) else { continue }
        problems.append("\(name) was forecast for \(instant)")
      }
    }
    for delivery in new {
      guard let instants = forecast[delivery.name], !instants.contains(delivery.at) else {
        continue
      }
      problems.append("\(delivery.name) went at \(delivery.at), forecast for \(instants)")
    }
  }

  private mutating func advance(to end: Instant) {
    while true {
      let context = PlanningContext(facts: recipient.facts, planner: planner)
      guard let due = recipient.schedule(in: context).due, due <= end else { break }
      now = max(now, due)
      for firing in recipient.fire(now: now, in: context).firings { note(firing, context) }
    }
    now = max(now, end)
  }

  private mutating func note(_ firing: Firing, _ context: PlanningContext) {
    guard case .finished(let outcome) = firing.result, outcome != .bundled,
      let message = context.message(of: firing)
    else { return }
    for channel in firing.channels.channels {
      let at = outcome == .dropped ? firing.planned : firing.at
      finished.append("\(at) \(message.reminder) \(channel.name) \(outcome.name)")
    }
    guard outcome == .delivered else { return }
    let members = firing.members.map { ($0.reminder, $0.key) }
    for (symbol, key) in members.isEmpty ? [(firing.reminder, firing.key)] : members {
      guard let reminder = planner.catalog.reminder(symbol) else { continue }
      let name = Name(reminder: reminder.identifier, key: key)
      sent.append(Sent(name: name, channels: firing.channels, at: firing.at))
    }
  }

  // MARK: - Events

  private mutating func reportSomething() throws {
    switch Int.random(in: 0..<12, using: &random) {
    case 0...1: try book()
    case 2...3: try open()
    case 4: try finish()
    case 5: try reportTaken()
    case 6: try setQuietHours()
    case 7...8: try command("pending.snoozed")
    case 9: try snoozeAgain()
    case 10: try command("pending.cancelled")
    default: try command("pending.resumed")
    }
  }

  /// Reports an event. No two events have the same instant, because a simulation fires only after
  /// all events of an instant.
  @discardableResult
  private mutating func report(_ type: String, _ data: JSONObject) throws -> Bool {
    number += 1
    if events.last?.time == now { advance(to: now + .milliseconds(1)) }
    let event = try EventReader(planner: planner).event(
      [
        "specversion": "1.0", "id": .string("\(number)"), "source": "test",
        "type": .string(type), "subject": "amina", "time": .string(now.description),
        "data": .object(data),
      ], now: nil)
    events.append(event)
    do {
      try recipient.check(event, planner: planner)
    } catch {
      return false
    }
    if !isCreated { recipient = Recipient(name: "amina", now: now) }
    isCreated = true
    recipient.apply(event, order: Int64(events.count - 1), now: now, planner: planner)
    return true
  }

  private mutating func book() throws {
    let at = now + .minutes(Int.random(in: 60...600, using: &random))
    let name = "a\(Int.random(in: 0..<3, using: &random))"
    try report("booked", ["appointment": .string(name), "at": .string(at.description)])
  }

  private mutating func open() throws { try report("opened", ["task": .string("t\(number)")]) }

  private mutating func finish() throws {
    let pending = recipient.pending(now: now, planner: planner)
    guard Bool.random(using: &random), !events.isEmpty else {
      try report("cancelled", ["appointment": .string("a\(Int.random(in: 0..<3, using: &random))")])
      return
    }
    let opened = events.filter { $0.type == "opened" }
    guard let task = opened.randomElement(using: &random),
      let data = try? JSONParser().parse(String(decoding: task.data, as: UTF8.self))
    else { return }
    try report("done", ["task": data["task"] ?? ""])
    let left = recipient.pending(now: now, planner: planner)
    let ended = pending.filter { entry in !left.contains { $0.key == entry.key } }
    ends.append((Set(ended.map(\.key)), now))
  }

  private mutating func reportTaken() throws {
    let key = Int64(
      PlanningContext(facts: recipient.facts, planner: planner).zone.date(at: now).daysSinceEpoch)
    if try report("taken", [:]) { ends.append(([key], now)) }
  }

  private mutating func setQuietHours() throws {
    let hour = Int.random(in: 0..<24, using: &random)
    func clock(_ hour: Int) -> String { (hour % 24 < 10 ? "0" : "") + "\(hour % 24):00" }
    try report(
      "preferences.updated",
      [
        "quietHours": [
          "enabled": .bool(Bool.random(using: &random)), "start": .string(clock(hour)),
          "end": .string(clock(hour + Int.random(in: 1...9, using: &random))),
        ]
      ])
  }

  /// Reports a command for a pending or cancelled occurrence.
  private mutating func command(_ type: String) throws {
    let entries =
      type == "pending.resumed"
      ? recipient.cancelled(now: now, planner: planner)
      : recipient.pending(now: now, planner: planner)
    guard let entry = entries.randomElement(using: &random),
      let reminder = planner.catalog.reminder(entry.reminder)
    else { return }
    var data: JSONObject = [
      "reminder": .string(reminder.identifier), "occurrence": .string("\(entry.key)"),
    ]
    guard type == "pending.snoozed" else {
      try report(type, data)
      return
    }
    data["for"] = .string("\(Int.random(in: 1...240, using: &random))m")
    try snooze(Name(reminder: reminder.identifier, key: entry.key), data)
  }

  private mutating func snoozeAgain() throws {
    guard let delivery = sent.randomElement(using: &random) else { return }
    try snooze(
      delivery.name,
      [
        "reminder": .string(delivery.name.reminder), "occurrence": .string("\(delivery.name.key)"),
        "delivered": true, "for": .string("\(Int.random(in: 1...240, using: &random))m"),
      ])
  }

  private mutating func snooze(_ name: Name, _ data: JSONObject) throws {
    let before = self
    guard try report("pending.snoozed", data), let event = events.last,
      let end = before.recipient.snoozeEnd(event, planner: planner)
    else { return }
    snoozes.append((name, now, end))
    let moved = recipient.pending(now: now, planner: planner).filter { entry in
      entry.key == name.key && planner.catalog.reminder(entry.reminder)?.identifier == name.reminder
    }
    if moved.isEmpty { problems.append("\(name) is not pending after a snooze") }
    if moved.contains(where: { $0.planned != end }) { problems.append("\(name) is not at \(end)") }
  }

  // MARK: - Checks

  func expectConsistent(_ comment: Comment) {
    #expect(problems.isEmpty, comment)
    for delivery in sent {
      let earlier = snoozes.filter { $0.name == delivery.name && $0.at < delivery.at }
      if let last = earlier.last { #expect(delivery.at >= last.end, "\(comment) \(delivery)") }
      let ended = ends.filter { $0.keys.contains(delivery.name.key) && $0.at < delivery.at }
      #expect(ended.isEmpty, "\(comment) \(delivery)")
    }
    for (name, deliveries) in Dictionary(grouping: sent, by: \.name) {
      let baseReminder = name.reminder.split(separator: "+")[0]
      let rounds = snoozes.count {
        $0.name.key == name.key && $0.name.reminder.split(separator: "+")[0] == baseReminder
      }
      for channel in [Channel.push, .inapp] {
        let count = deliveries.count { $0.channels.contains(ChannelSet(channel)) }
        #expect(count <= 1 + rounds, "\(comment) \(name) \(deliveries)")
      }
    }
  }

  func expectSimulated(_ comment: Comment) throws {
    let lines = try Fixtures.timeline(events, planner, until: now.description)
    let simulated = lines.map { line in
      ["at", "reminder", "channel", "outcome"].map { line[$0]?.stringValue ?? "" }
        .joined(separator: " ")
    }
    #expect(simulated.sorted() == finished.sorted(), comment)
  }
}
