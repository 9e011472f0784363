import CivilTime
import JSON
import Testing

@testable import Reminders

/// Rules N4 and G6: a recipient ends the series of one entity.
@Suite struct EntityStopTests {
  private static let catalog = Fixtures.catalog(
    events: "{trial: {trial: identifier, at: instant}, task: {task: identifier}, "
      + "dose: {medicine: identifier}, ping: {text: text}}",
    groups: "notes: {enabled: true}\nothers: {enabled: true}",
    reminders: [
      "ends": "before: {event: trial, at: at, by: [2d, 4d]}, "
        + "messages: [{title: 'Trial {{trial}}', body: b}]",
      "do": "on: {event: task, delay: 1h}, again: {every: 1h, times: 2}, "
        + "messages: [{title: 'Task {{task}}', body: b}]",
      "follow": "after: {event: task, delay: 3d}, messages: [{title: Follow, body: b}]",
      "take": "every: {day: {at: '10:00'}}, since: dose, group: others",
      "pinged": "on: {event: ping, delay: 1h}",
    ])

  private func player(_ catalog: String = Self.catalog) throws -> Player {
    var player = Player(
      planner: try Fixtures.planner(catalog: catalog), now: try utc("2026-03-02 09:00"))
    try player.take("recipient.updated", ["timezone": "UTC"])
    return player
  }

  /// Returns the keys of a reminder's pending occurrences, the next first.
  private func keys(_ player: Player, _ reminder: String, _ title: String? = nil) -> [Int64] {
    let context = PlanningContext(facts: player.recipient.facts, planner: player.planner)
    return player.recipient.pending(now: player.now, planner: player.planner).filter { pending in
      let message = context.message(of: pending)
      return message?.reminder == reminder && title.map { message?.title == $0 } ?? true
    }.map(\.key)
  }

  private func nextKey(
    _ player: Player, _ reminder: String, _ title: String? = nil
  ) throws -> Int64 {
    try #require(keys(player, reminder, title).first)
  }

  /// Returns the data of a command about a series: of the entity whose occurrence has this key, or
  /// of all entities if the key is nil.
  private func seriesData(_ reminder: String, _ key: Int64?) -> JSONValue {
    guard let key else { return ["reminder": .string(reminder), "series": true] }
    return ["reminder": .string(reminder), "series": true, "occurrence": .string("\(key)")]
  }

  private func delivered(_ player: Player) -> [String] {
    player.entries.filter { $0.outcome == .delivered }.map { "\($0.reminder) \($0.title)" }
  }

  private func cancelled(_ player: Player) -> [String] {
    let context = PlanningContext(facts: player.recipient.facts, planner: player.planner)
    return player.recipient.cancelled(now: player.now, planner: player.planner)
      .compactMap { context.message(of: $0)?.title }
  }

  /// Returns a player with two trials that end on the 12th.
  private func trials() throws -> Player {
    var player = try player()
    for name in ["a", "b"] {
      try player.take("trial", ["trial": .string(name), "at": "2026-03-12T09:00:00Z"])
    }
    return player
  }

  @Test func `N4: ending the series of one trial leaves the other trials planned`() throws {
    var player = try trials()
    let key = try nextKey(player, "ends", "Trial a")
    try player.take("pending.cancelled", seriesData("ends", key))
    try player.restart()
    #expect(keys(player, "ends").count == 2)
    #expect(cancelled(player) == ["Trial a", "Trial a"])
    let forecast = player.recipient.simulatedFirings(
      from: player.now, through: try utc("2026-03-13 09:00"), planner: player.planner)
    #expect(forecast.count == 2)
    #expect(throws: Refusal.self) {
      try player.recipient.explain(
        .occurrence(reminder: "ends", key: key), now: player.now, planner: player.planner)
    }
    player.advance(to: try utc("2026-03-13 09:00"))
    #expect(delivered(player) == ["ends Trial b", "ends Trial b"])
  }

  @Test func `N4: an ended series is resumed, by an occurrence or by its reminder`() throws {
    for isByKey in [true, false] {
      var player = try trials()
      let key = try nextKey(player, "ends", "Trial a")
      let other = try nextKey(player, "ends", "Trial b")
      try player.take("pending.cancelled", seriesData("ends", key))
      #expect(throws: Refusal.self) {
        try player.take("pending.cancelled", seriesData("ends", key))
      }
      #expect(throws: Refusal.self) {
        try player.take("pending.resumed", seriesData("ends", other))
      }
      player.advance(to: try utc("2026-03-09 09:00"))
      try player.take("pending.resumed", seriesData("ends", isByKey ? key : nil))
      #expect(throws: Refusal.self) { try player.take("pending.resumed", seriesData("ends", key)) }
      try player.restart()
      player.advance(to: try utc("2026-03-13 09:00"))
      #expect(
        delivered(player).sorted() == ["ends Trial a", "ends Trial b", "ends Trial b"])
    }
  }

  @Test func `N4: an ended series continues when its entity is reported again`() throws {
    var player = try trials()
    let key = try nextKey(player, "ends", "Trial a")
    try player.take("pending.cancelled", seriesData("ends", key))
    player.advance(to: try utc("2026-03-09 09:00"))
    try player.take("trial", ["trial": "a", "at": "2026-03-12T09:00:00Z"])
    player.advance(to: try utc("2026-03-13 09:00"))
    #expect(delivered(player).filter { $0 == "ends Trial a" }.count == 1)
  }

  @Test func `N4: ending an entity's series also ends its repetitions`() throws {
    for isRepetition in [false, true] {
      var player = try player()
      try player.take("task", ["task": "a"])
      try player.take("task", ["task": "b"])
      let key = try nextKey(player, "do", "Task a")
      if isRepetition { player.advance(to: try utc("2026-03-02 10:30")) }
      try player.take("pending.cancelled", seriesData("do", key))
      player.advance(to: try utc("2026-03-02 15:00"))
      let titles = player.entries.map(\.title)
      #expect(titles.filter { $0 == "Task a" }.count == (isRepetition ? 1 : 0))
      #expect(titles.filter { $0 == "Task b" }.count == 3)
    }
  }

  @Test func `N10: cancelling by a repetition ends the series of its entity`() throws {
    for isByKey in [true, false] {
      var player = try player()
      try player.take("task", ["task": "a"])
      let key = try nextKey(player, "do", "Task a")
      player.advance(to: try utc("2026-03-02 10:30"))
      if isByKey { try player.take("task", ["task": "b"]) }
      try player.take("pending.cancelled", seriesData("do+1", isByKey ? key : nil))
      try player.restart()
      player.advance(to: try utc("2026-03-02 15:00"))
      let titles = player.entries.map(\.title)
      #expect(titles.filter { $0 == "Task a" }.count == 1)
      #expect(titles.filter { $0 == "Task b" }.count == (isByKey ? 3 : 0))
    }
  }

  @Test func `N10: a repetition resumes the series of its entity`() throws {
    for isByKey in [true, false] {
      var player = try player()
      try player.take("task", ["task": "a"])
      let key = isByKey ? try nextKey(player, "do", "Task a") : nil
      try player.take("pending.cancelled", seriesData("do", key))
      #expect(keys(player, "do").isEmpty)
      try player.take("pending.resumed", seriesData("do+1", key))
      #expect(keys(player, "do").count == 1)
      #expect(throws: Refusal.self) { try player.take("pending.resumed", seriesData("do", key)) }
      player.advance(to: try utc("2026-03-02 15:00"))
      #expect(player.entries.map(\.reminder) == ["do", "do+1", "do+2"])
    }
  }

  /// Earlier versions recorded the end of a repetition under the repetition's name.
  @Test func `N10: the latest command about a reminder or its repetition counts`() throws {
    let planner = try Fixtures.planner(catalog: Self.catalog)
    var facts = try trials().recipient.facts
    let repetition = try #require(planner.catalog.reminder(Symbol("do+1")))
    func stop(_ reminder: String, _ order: Int64, isResumed: Bool = false) throws
      -> EntitySeriesCommand
    {
      EntitySeriesCommand(
        reminder: Symbol(reminder), identifier: "a",
        stamp: Stamp(time: try utc("2026-03-02 10:00"), order: order), isResumed: isResumed)
    }
    let report = Stamp(time: try utc("2026-03-02 09:00"), order: 1)
    func isStopped() -> Bool {
      PlanningContext(facts: facts, planner: planner)
        .isStopped(repetition, about: "a", since: report)
    }
    facts.note(try stop("do+1", 1))
    #expect(isStopped())
    facts.note(try stop("do", 2, isResumed: true))
    #expect(!isStopped())
    facts.note(try stop("do", 3))
    #expect(isStopped())
  }

  @Test func `N10: resuming the series of one entity leaves the other series ended`() throws {
    for isEndedBefore in [true, false] {
      var player = try trials()
      let key = try nextKey(player, "ends", "Trial a")
      let other = try nextKey(player, "ends", "Trial b")
      if isEndedBefore { try player.take("pending.cancelled", seriesData("ends", key)) }
      try player.take("pending.cancelled", seriesData("ends", nil))
      #expect(throws: Refusal.self) { try player.take("pending.resumed", seriesData("ends", 17)) }
      try player.take("pending.resumed", seriesData("ends", other))
      try player.restart()
      #expect(cancelled(player) == ["Trial a", "Trial a"])
      #expect(keys(player, "ends").count == 2)
      player.advance(to: try utc("2026-03-09 09:00"))
      #expect(delivered(player) == ["ends Trial b"])
      try player.take("pending.resumed", seriesData("ends", key))
      player.advance(to: try utc("2026-03-13 09:00"))
      #expect(delivered(player).sorted() == ["ends Trial a", "ends Trial b", "ends Trial b"])
    }
  }

  @Test func `N4: other cancelled reminders of an entity keep their texts`() throws {
    let catalog = Fixtures.catalog(
      events: "{dose: {medicine: identifier}}",
      reminders: [
        "take": "every: {day: {at: '10:00'}}, since: dose",
        "refill": "on: {event: dose, delay: 3d}, messages: [{title: 'Dose {{medicine}}', body: b}]",
      ])
    var player = try player(catalog)
    try player.take("dose", ["medicine": "a"])
    try player.take("pending.cancelled", seriesData("take", try nextKey(player, "take")))
    try player.take("dose", ["medicine": "b"])
    let key = try nextKey(player, "refill", "Dose b")
    try player.take(
      "pending.cancelled", ["reminder": "refill", "occurrence": .string("\(key)")])
    #expect(cancelled(player) == ["Note", "Dose b"])
  }

  /// Two commands end the series. With the corrected times, only the first command is later than
  /// the resumption.
  @Test func `T11: a corrected command leaves the series ended by another command`() throws {
    let planner = try Fixtures.planner(catalog: Self.catalog)
    func event(_ type: String, _ data: JSONValue, _ time: String) throws -> Event {
      try EventReader(planner: planner).event(
        [
          "specversion": "1.0", "id": .string(time), "source": "test", "type": .string(type),
          "subject": "amina", "time": .string(try utc("2026-03-02 \(time)").description),
          "data": data,
        ], now: nil)
    }
    func events(secondCommandAt time: String) throws -> [Event] {
      [
        try event("ping", ["text": "one"], "09:00"),
        try event("pending.cancelled", seriesData("pinged", 17), "10:00"),
        try event("pending.cancelled", seriesData("pinged", nil), time),
        try event("pending.resumed", seriesData("pinged", nil), "09:30"),
        try event("ping", ["text": "two"], "15:30"),
      ]
    }
    let now = try utc("2026-03-02 15:40")
    var recipient = Recipient(name: "amina", now: try utc("2026-03-02 09:00"))
    for (order, event) in try events(secondCommandAt: "15:00").enumerated() {
      recipient.apply(event, order: Int64(order), now: now, planner: planner)
    }
    let time = CorrectedTime(old: try utc("2026-03-02 15:00"), new: try utc("2026-03-02 09:05"))
    let right = try events(secondCommandAt: "09:05").enumerated().map { ($1, Int64($0)) }
    _ = recipient.correct([2: time], folding: right, planner: planner)
    #expect(recipient.pending(now: now, planner: planner).isEmpty)
  }

  @Test func `N4: ending a series about the latest task ends it only for that task`() throws {
    var player = try player()
    try player.take("task", ["task": "a"])
    let key = try nextKey(player, "follow")
    try player.take("pending.cancelled", seriesData("follow", key))
    #expect(keys(player, "follow").isEmpty)
    player.advance(to: try utc("2026-03-02 12:00"))
    try player.take("task", ["task": "b"])
    player.advance(to: try utc("2026-03-06 12:00"))
    #expect(delivered(player).filter { $0 == "follow Follow" }.count == 1)
  }

  @Test func `N4: ending a daily series ends it for the entities of that date`() throws {
    var player = try player()
    try player.take("dose", ["medicine": "a"])
    player.advance(to: try utc("2026-03-03 12:00"))
    try player.take("pending.cancelled", seriesData("take", try nextKey(player, "take")))
    #expect(keys(player, "take").isEmpty)
    #expect(cancelled(player).count == 1)
    try player.take("dose", ["medicine": "b"])
    player.advance(to: try utc("2026-03-05 12:00"))
    #expect(delivered(player).count == 3)
    try player.take("pending.cancelled", seriesData("take", try nextKey(player, "take")))
    try player.restart()
    player.advance(to: try utc("2026-03-08 12:00"))
    #expect(delivered(player).count == 3)
    try player.take("dose", ["medicine": "a"])
    player.advance(to: try utc("2026-03-09 12:00"))
    #expect(delivered(player).count == 4)
  }

  @Test func `N4: switching a group on resumes its ended series`() throws {
    var player = try player()
    try player.take("dose", ["medicine": "a"])
    try player.take("pending.cancelled", seriesData("take", try nextKey(player, "take")))
    player.advance(to: try utc("2026-03-02 12:00"))
    try player.take("preferences.updated", ["reminders": ["others": ["enabled": true]]])
    #expect(keys(player, "take").count == 1)
  }

  @Test func `N4: a reminder of events without an identifier ends as a whole`() throws {
    var player = try player()
    try player.take("ping", ["text": "one"])
    player.advance(to: try utc("2026-03-02 09:30"))
    let key = try nextKey(player, "pinged")
    try player.take("ping", ["text": "two"])
    try player.take("pending.cancelled", seriesData("pinged", key))
    player.advance(to: try utc("2026-03-02 12:00"))
    #expect(delivered(player).isEmpty)
  }

  @Test func `N4: ending a series by an unknown occurrence is refused`() throws {
    var player = try trials()
    #expect(throws: Refusal.self) { try player.take("pending.cancelled", seriesData("ends", 17)) }
    #expect(keys(player, "ends").count == 4)
  }

  @Test func `H6: the end of a series is forgotten with its entity`() throws {
    var player = try trials()
    let key = try nextKey(player, "ends", "Trial a")
    try player.take("pending.cancelled", seriesData("ends", key))
    #expect(player.recipient.facts.entityStops.count == 1)
    player.advance(to: try utc("2026-06-13 09:00"))
    try player.take("trial", ["trial": "c", "at": "2026-07-12T09:00:00Z"])
    #expect(player.recipient.facts.entityStops.isEmpty)
  }
}
