import CivilTime
import JSON
import Reminders
import Testing

@testable import Engine

/// Rule L5: what another catalog would have sent in the past days.
@Suite struct ReplayQueryTests {
  private static func catalog(
    at time: String = "12:00", title: String = "Note", expires: String = "12h",
    extraReminders: String = ""
  ) -> String {
    """
    catalog: notes
    events: {visited: {}}
    categories:
      NOTE: {title: Notes, urgency: normal, channels: {push: true}}
    groups:
      notes: {enabled: true, time: "\(time)"}
      others: {enabled: true}
    reminders:
      note:
        category: NOTE
        group: notes
        every: {day: {at: $time}}
        expires: \(expires)
        messages: [{title: \(title), body: A note.}]
    \(extraReminders)
    """
  }

  private static let other = """
      other:
        category: NOTE
        group: others
        every: {day: {at: "15:00"}}
        expires: 1h
        messages: [{title: Other, body: Another note.}]
    """

  /// Returns a stage that has run with a catalog for four days, until 13:00.
  private func stage(_ text: String) throws -> Stage {
    let stage = try Stage(catalog: text, at: "2026-03-02 09:00")
    for name in ["amina", "bilal", "chadi"] {
      try stage.take("recipient.updated", ["locale": "en"], of: name)
    }
    try stage.take(
      "preferences.updated",
      ["quietHours": ["enabled": true, "start": "20:00", "end": "22:00"]], of: "bilal")
    try stage.run(to: "2026-03-05 13:00")
    return stage
  }

  private func answer(
    _ stage: Stage, _ text: String, _ selection: ReplayQuery.Selection = .sample(400),
    since: String = "2026-03-02 10:00", perDay: Int = 1
  ) throws -> ReplayAnswer {
    try stage.query(
      ReplayQuery(
        selection, since: .instant(utc(since)), by: Fixtures.planner(catalog: text), perDay: perDay)
    )
  }

  private func replay(
    _ stage: Stage, _ text: String, _ selection: ReplayQuery.Selection = .sample(400),
    since: String = "2026-03-02 10:00"
  ) throws -> CatalogReplay {
    guard case .known(let replay) = try answer(stage, text, selection, since: since) else {
      throw Unknown()
    }
    return replay
  }

  private struct Unknown: Error {}

  private func changes(_ replay: CatalogReplay) -> [String] {
    replay.lines.values.flatMap(\.changes).map { change, count in
      "\(change.line.reminder) \(change.line.channel) \(change.kind) "
        + "\(change.reason.map { "by \($0) " } ?? "")\(count.notifications) of \(count.people)"
    }.sorted()
  }

  @Test func `L5: differences are counted by kind`() throws {
    let (plain, both) = (Self.catalog(), Self.catalog(extraReminders: Self.other))
    let stage = try stage(plain)
    #expect(try changes(replay(stage, plain)).isEmpty)
    #expect(
      try changes(replay(stage, Self.catalog(title: "Mark"))) == ["note push reworded 12 of 3"])
    #expect(
      try changes(replay(stage, Self.catalog(at: "11:00"))) == ["note push moved 12 of 3"])
    #expect(
      try changes(replay(stage, Self.catalog(at: "21:00"))) == [
        "note push moved 9 of 3", "note push waiting 3 of 3",
      ])
    #expect(try changes(replay(stage, both)) == ["other push added 9 of 3"])
    #expect(try changes(replay(try self.stage(both), plain)) == ["other push cancelled 9 of 3"])
    let night = Self.catalog(at: "21:00")
    let short = Self.catalog(at: "21:00", expires: "30m")
    #expect(
      try changes(replay(try self.stage(night), short)) == [
        "note push dropped by \(Gate.expiry.reason) 3 of 1"
      ])
    #expect(try changes(replay(try self.stage(short), night)) == ["note push restored 3 of 1"])
    #expect(try changes(replay(try self.stage(night), plain)) == ["note push moved 12 of 3"])
  }

  @Test func `L5: the numbers then are those that were sent, and examples are ids`() throws {
    let stage = try stage(Self.catalog())
    let replay = try replay(
      stage, Self.catalog(extraReminders: Self.other), since: "2026-03-03 13:00")
    let sent = stage.delivered.filter { $0.at >= replay.since }.count
    #expect(sent == 6)
    let lines = replay.lines.sorted { $0.key.reminder < $1.key.reminder }
    #expect(lines.map(\.key.category) == ["NOTE", "NOTE"])
    #expect(lines.map { [$0.value.sent.then, $0.value.sent.now] } == [[6, 6], [0, 6]])
    #expect(lines[1].value.changes.values.first?.examples == ["amina", "bilal", "chadi"])
    #expect((replay.people, replay.replayedCount, replay.changedCount) == (3, 3, 3))
    #expect((replay.busy.then, replay.busy.now) == (0, 3))
    #expect(replay.busyExamples == ["amina", "bilal", "chadi"])
    #expect((replay.warmUpCount, replay.leftOutCount, replay.lostEventCount) == (0, 0, 0))
  }

  @Test func `L5: one recipient is replayed, or a sample`() throws {
    let stage = try stage(Self.catalog())
    let draft = Self.catalog(title: "Mark")
    let one = try replay(stage, draft, .recipient("bilal"))
    #expect(changes(one) == ["note push reworded 4 of 1"] && one.people == 1)
    let sample = try replay(stage, draft, .sample(2))
    #expect((sample.people, sample.replayedCount) == (3, 2))
  }

  /// The current catalog is not the one of the past days.
  @Test func `L5: days before a reload are compared with the catalog of that time`() throws {
    let stage = try stage(Self.catalog())
    try stage.reload(try Fixtures.planner(catalog: Self.catalog(at: "14:00")))
    try stage.run(to: "2026-03-06 15:00")
    let replay = try replay(stage, Self.catalog(at: "14:00"))
    #expect(changes(replay) == ["note push moved 12 of 3"])
    #expect(replay.lines.values.map { [$0.sent.then, $0.sent.now] } == [[15, 15]])
  }

  /// An event of a type that the draft does not declare has no effect under the draft.
  @Test func `L5: events that the other catalog cannot read are counted`() throws {
    let stage = try stage(Self.catalog())
    try stage.take("visited")
    try stage.run(to: "2026-03-05 14:00")
    let draft = Self.catalog().replacing("events: {visited: {}}", with: "")
    let replay = try replay(stage, draft)
    #expect((replay.refusedEventCount, replay.lostEventCount) == (1, 0))
    #expect(changes(replay).isEmpty)
  }

  @Test func `L5: a recipient without the earliest events is replayed from their facts`() throws {
    let stage = try Stage(catalog: Self.catalog(), at: "2026-03-01 09:00")
    try stage.keepEvents(days: 9)
    try stage.take("preferences.updated", ["reminders": ["notes": ["time": "10:00"]]])
    try stage.run(to: "2026-03-12 09:00")
    let known = try replay(stage, Self.catalog(), .recipient("amina"), since: "2026-03-05 09:00")
    #expect((known.warmUpCount, known.replayedCount) == (1, 1))
    #expect(known.lines.values.map { [$0.sent.then, $0.sent.now] } == [[7, 7]])
    let early = try answer(stage, Self.catalog(), .recipient("amina"), since: "2026-03-01 09:00")
    guard case .unknown(.early(let start)) = early else {
      Issue.record("\(early)")
      return
    }
    #expect(start == (try utc("2026-03-01 09:00")))
  }

  @Test func `L5: a past that is not known is refused with the reason`() throws {
    let stage = try stage(Self.catalog())
    func word(_ selection: ReplayQuery.Selection, since: String) throws -> String {
      switch try answer(stage, Self.catalog(), selection, since: since) {
      case .known: return "known"
      case .unknownRecipient: return "unknown recipient"
      case .unknown(let reason): return reason.description
      }
    }
    #expect(try word(.recipient("nobody"), since: "2026-03-03 09:00") == "unknown recipient")
    #expect(
      try word(.sample(9), since: "2026-03-05 13:00") == "is in the future; give a past instant")
    #expect(
      try word(.sample(9), since: "2026-03-01 09:00")
        == "is before 2026-03-02T09:00:00.000Z, since when catalogs are recorded")
  }

  /// The catalogs, the base of removed events and the progress are the same in both replays.
  @Test(arguments: Seeds.all)
  func `L5: a catalog against itself changes nothing, also after events are removed`(seed: UInt64)
    throws
  {
    let planner = try Fixtures.planner()
    let population = try Population(seed: seed, days: 20, isErasing: false, planner: planner)
    let stage = try Stage(planner: planner, at: "2026-01-01 00:00")
    try stage.keepEvents(days: 8)
    try stage.play(population)
    let text = try Fixtures.text(of: "imanpath")
    for days in [1, 3, 6] {
      let query = ReplayQuery(
        .sample(400), since: .ago(.days(days)), by: try Fixtures.planner(catalog: text),
        perDay: 3)
      guard case .known(let replay) = try stage.query(query) else {
        Issue.record("seed \(seed): the past is not known")
        continue
      }
      #expect(replay.changedCount == 0, "seed \(seed): \(replay.lines)")
      #expect(replay.lines.values.allSatisfy { $0.sent.then == $0.sent.now })
      #expect(replay.busy.then == replay.busy.now)
      #expect(replay.replayedCount + replay.leftOutCount == replay.people)
      #expect(replay.replayedCount > 0, "seed \(seed)")
    }
  }

  #if DEBUG
    @Test func `H6: a recipient whose planning does not end is left out`() throws {
      let stage = try stage(Self.catalog())
      try PlanningOverrun.$steps.withValue(0) {
        let sample = try replay(stage, Self.catalog(title: "Mark"))
        #expect((sample.replayedCount, sample.leftOutCount) == (0, 3) && sample.lines.isEmpty)
      }
    }
  #endif
}
