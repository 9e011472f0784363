import CivilTime
import Holidays
import JSON
import Reminders
import Testing

/// Rules V8 and P5: explanations, hypothetical occurrences, and the consequences of a write.
@Suite struct ExplainTests {
  private static func player(hasQuietHours: Bool) throws -> Player {
    var player = Player(planner: try Fixtures.planner(), now: try utc("2026-03-02 09:00"))
    try player.take("recipient.updated", ["timezone": "Europe/Berlin"])
    if hasQuietHours {
      try player.take(
        "preferences.updated",
        ["quietHours": ["enabled": true, "start": "20:30", "end": "07:00"]])
    }
    return player
  }

  @Test func `V8: every gate is listed with its input, and the holding gate is named`() throws {
    let player = try Self.player(hasQuietHours: true)
    let explanations = try player.recipient.explain(
      .pending(reminder: "daily-checkin-reminder"), now: player.now, planner: player.planner)
    let explanation = try #require(explanations.first)
    let all = Gate.unconditional + [.minimumInterval, .dailyCap]
    #expect(explanation.rounds.map { $0.steps.map(\.gate) } == [Gate.unconditional, all])
    let quiet = explanation.rounds[0].steps.first { $0.gate == .quietHours }
    #expect(quiet?.input == "quiet hours 20:30-07:00 Europe/Berlin")
    #expect(try quiet?.finding == .holds(until: utc("2026-03-03 06:00")))
    #expect(try explanation.decision.at == utc("2026-03-03 06:00"))
    #expect(
      explanation.counterfactualText
        == "would be sent at 2026-03-02 21:00 Europe/Berlin if not for "
        + "quiet hours 20:30-07:00 Europe/Berlin")
  }

  @Test func `V8: the gates count occurrences that go out earlier`() throws {
    var player = try Self.player(hasQuietHours: false)
    try player.take("preferences.updated", ["caps": ["perDay": 1]])
    player.advance(to: try utc("2026-03-03 00:00"))
    // The lesson of the 3rd, at 08:00, uses that day's cap before the check-in.
    let explanation = try #require(
      try player.recipient.explain(
        .pending(reminder: "daily-checkin-reminder"), now: player.now, planner: player.planner
      ).first)
    #expect(explanation.decision.trace.reasons == ["daily_cap"])
    #expect(
      explanation.counterfactualText
        == "would be sent at 2026-03-03 21:00 Europe/Berlin if not for "
        + "a daily cap of 1, 1 sent on 2026-03-03")
  }

  @Test func `V8: a hypothetical occurrence is explained`() throws {
    let player = try Self.player(hasQuietHours: true)
    let question = Question.hypothetical(
      category: "LESSON", at: try utc("2026-03-06 22:00"))
    let explanation = try #require(
      try player.recipient.explain(question, now: player.now, planner: player.planner).first)
    #expect(explanation.reminder == "notification.requested")
    #expect(try explanation.decision.at == utc("2026-03-07 06:00"))
  }

  @Test func `V8: the cap of a hypothetical occurrence counts deliveries before it`() throws {
    var player = try Self.player(hasQuietHours: false)
    try player.take("preferences.updated", ["caps": ["perDay": 1]])
    func reasons(_ time: String) throws -> [String] {
      let question = Question.hypothetical(category: "LESSON", at: try utc(time))
      let explanations = try player.recipient.explain(
        question, now: player.now, planner: player.planner)
      return try #require(explanations.first).decision.trace.reasons
    }
    // The lesson of the 3rd goes out at 08:00 in Berlin.
    #expect(try reasons("2026-03-03 06:30") == [])
    #expect(try reasons("2026-03-03 07:30") == ["daily_cap"])
  }

  @Test func `V8: each channel group is explained`() throws {
    let catalog = Fixtures.catalog(reminders: ["note": "on: {event: relapse, delay: 0s}"])
      .replacing("sms: false}", with: "sms: false, inapp: true}")
    var player = Player(
      planner: try Fixtures.planner(catalog: catalog), now: try utc("2026-03-02 09:00"))
    try player.take(
      "preferences.updated",
      ["quietHours": ["enabled": true, "start": "22:00", "end": "06:00", "days": ["mon", "sat"]]])
    let night = Question.hypothetical(category: "NOTE", at: try utc("2026-03-02 23:00"))
    let explanations = try player.recipient.explain(
      night, now: player.now, planner: player.planner)
    #expect(explanations.map(\.channels) == [[.push], [.inapp]])
    #expect(
      explanations.map(\.counterfactualText) == [
        "would be sent at 2026-03-02 23:00 UTC if not for quiet hours 22:00-06:00 UTC on mon, sat",
        nil,
      ])
  }

  @Test func `V8: the input of a gate states that critical notifications pass`() throws {
    var player = Player(
      planner: try Fixtures.planner(catalog: Fixtures.noteCatalog(urgency: "critical")),
      now: try utc("2026-03-02 09:00"))
    func inputs() throws -> [Gate: String] {
      let explanations = try player.recipient.explain(
        .pending(reminder: "note"), now: player.now, planner: player.planner)
      let steps = try #require(explanations.first?.rounds.first).steps
      return Dictionary(uniqueKeysWithValues: steps.map { ($0.gate, $0.input) })
    }
    try player.take(
      "preferences.updated",
      [
        "quietHours": ["enabled": true, "start": "11:00", "end": "15:00"],
        "caps": ["perDay": 1, "minInterval": "PT15M"],
      ])
    #expect(
      try inputs()[.quietHours]
        == "quiet hours 11:00-15:00 UTC, which critical notifications pass")
    #expect(try inputs()[.dailyCap] == "a daily cap of 1, which does not apply")
    #expect(try inputs()[.minimumInterval] == "a minimum interval of 15m, which does not apply")
    try player.take("preferences.updated", ["quietHours": ["allowCritical": false]])
    #expect(try inputs()[.quietHours] == "quiet hours 11:00-15:00 UTC")
  }

  /// An input is also available as a kind with parameters, for other languages.
  @Test func `V8: every input has a kind with parameters`() throws {
    var player = Player(
      planner: try Fixtures.planner(catalog: Fixtures.noteCatalog(urgency: "normal")),
      now: try utc("2026-03-02 09:00"))
    try player.take(
      "preferences.updated",
      [
        "quietHours": [
          "enabled": true, "start": "22:00", "end": "06:00", "days": ["mon", "sat"],
        ],
        "caps": ["perDay": 2, "minInterval": "PT15M"],
      ])
    let explanations = try player.recipient.explain(
      .hypothetical(category: "NOTE", at: try utc("2026-03-02 23:00")), now: player.now,
      planner: player.planner)
    let explanation = try #require(explanations.first)
    // Interval and cap are evaluated only when the other gates are open: on the next morning.
    let steps = explanation.rounds.flatMap(\.steps)
    func fact(_ gate: Gate) throws -> JSONValue {
      let fact = try #require(steps.first { $0.gate == gate }).fact
      return ["kind": .string(fact.kind), "of": .object(fact.parameters(in: explanation.zone))]
    }
    #expect(
      try fact(.quietHours) == [
        "kind": "quiet_hours",
        "of": ["start": "22:00", "end": "06:00", "zone": "UTC", "days": ["mon", "sat"]],
      ])
    #expect(
      try fact(.dailyCap) == [
        "kind": "daily_cap", "of": ["cap": 2, "sent": 0, "date": "2026-03-03"],
      ])
    let interval = try fact(.minimumInterval)
    #expect(interval["of"]?["interval"] == "15m" && interval["of"]?["seconds"] == 900)
    #expect(try fact(.vacation) == ["kind": "no_vacation", "of": [:]])
  }

  @Test func `V8: an unknown category is refused with the nearest name`() throws {
    let player = try Self.player(hasQuietHours: false)
    let refusal = #expect(throws: Refusal.self) {
      try player.recipient.explain(
        .hypothetical(category: "LESON", at: player.now), now: player.now,
        planner: player.planner)
    }
    #expect(
      refusal?.description
        == "category \"LESON\" is declared by no catalog; did you mean \"LESSON\"?")
  }

  @Test func `P5: dropped and restored occurrences are consequences of a change`() throws {
    var player = try Self.player(hasQuietHours: false)
    func changes(_ type: String, _ data: JSONValue) throws -> [[String]] {
      let json: JSONValue = [
        "specversion": "1.0", "id": "w", "source": "test", "type": .string(type),
        "subject": "amina", "time": .string(player.now.description), "data": data,
      ]
      let event = try EventReader(planner: player.planner).event(json, now: player.now)
      let found = player.recipient.consequences(
        of: [event], now: player.now, planner: player.planner)
      return [found.changes.map { "\($0.kind) \($0.message.reminder) \($0.reasons)" }]
        + [found.warnings]
    }
    #expect(
      try changes("preferences.updated", ["categories": ["CHECKIN": ["push": false]]])[0] == [
        "cancelled daily-checkin-reminder [\"category\"]"
      ])
    #expect(
      try changes("preferences.updated", ["reminders": ["checkin": ["enabled": false]]])[0] == [
        "cancelled daily-checkin-reminder [\"switched_off\"]"
      ])
    let away = try changes("vacation.started", ["until": "2026-03-10"])
    #expect(away[0].contains("dropped daily-checkin-reminder [\"vacation\"]"))
    try player.take("vacation.started", ["until": "2026-03-10"])
    #expect(
      try changes("vacation.ended", [:])[0].contains("restored daily-checkin-reminder []"))
    // A write of the current value has no consequences.
    #expect(try changes("preferences.updated", ["hints": ["badge": false]]) == [[], []])
  }

  @Test func `P5: a cancellation has a reason, and an unchanged hold has no warning`() throws {
    let player = try Self.player(hasQuietHours: true)
    func consequences(_ type: String, _ data: JSONValue) throws -> Consequences {
      let json: JSONValue = [
        "specversion": "1.0", "id": "w", "source": "test", "type": .string(type),
        "subject": "amina", "time": .string(player.now.description), "data": data,
      ]
      let event = try EventReader(planner: player.planner).event(json, now: player.now)
      return player.recipient.consequences(of: [event], now: player.now, planner: player.planner)
    }
    let name: JSONValue = "daily-checkin-reminder"
    let once = try consequences("pending.cancelled", ["reminder": name])
    #expect(once.changes.first { $0.kind == .cancelled }?.reasons == ["cancelled"])
    // The next day's occurrence is held in the same way, so there is no warning.
    #expect(once.warnings == [])
    let series = try consequences("pending.cancelled", ["reminder": name, "series": true])
    #expect(series.changes.map(\.reasons) == [["series_cancelled"]])
    let done = try consequences("lesson.completed", ["day": 1])
    #expect(done.changes.first { $0.kind == .cancelled }?.reasons == ["overtaken"])
  }

  @Test func `an explanation warns of the end of known holidays`() throws {
    let zones = try Fixtures.zones.get()
    let calendar = "BEGIN:VCALENDAR\r\nX-CHIMED-YEARS:2024-2026\r\nEND:VCALENDAR\r\n"
    let holidays = try HolidayDatabase(files: [
      CalendarFile(path: "UA.ics", content: Array(calendar.utf8))
    ])
    let planner = Planner(
      catalog: try Fixtures.planner().catalog, zones: zones,
      defaultZone: try zones.zone(named: "UTC"), holidays: holidays)
    var player = Player(planner: planner, now: try utc("2026-03-02 09:00"))
    try player.take("recipient.updated", ["holidays": "UA"])
    let explanations = try player.recipient.explain(
      .pending(reminder: "daily-checkin-reminder"), now: player.now, planner: planner)
    #expect(explanations.map(\.warning) == ["the holidays of UA are known only through 2026"])
    #expect(planner.dataWarnings(at: player.now).contains { $0.contains("UA") })
  }

  @Test func `P5: a write's consequences are moves, cancellations and additions`() throws {
    let player = try Self.player(hasQuietHours: false)
    func changes(_ data: JSONValue) throws -> (changes: [String], warnings: [String]) {
      let json: JSONValue = [
        "specversion": "1.0", "id": "w", "source": "test", "type": "preferences.updated",
        "subject": "amina", "time": .string(player.now.description), "data": data,
      ]
      let event = try EventReader(planner: player.planner).event(json, now: player.now)
      let found = player.recipient.consequences(
        of: [event], now: player.now, planner: player.planner)
      return (found.changes.map { "\($0.kind) \($0.message.reminder)" }, found.warnings)
    }
    let quiet = try changes(["quietHours": ["enabled": true, "start": "21:00", "end": "08:00"]])
    #expect(quiet.changes == ["moved daily-checkin-reminder"])
    #expect(
      quiet.warnings == [
        "daily-checkin-reminder of 2026-03-02 21:00 will move to 2026-03-03 08:00: quiet_hours"
      ])
    let off = try changes(["reminders": ["lesson": ["enabled": false]]])
    #expect(off.changes == ["cancelled first-lesson-reminder"])
    let on = try changes(["reminders": ["motivation": ["enabled": true]]])
    #expect(on.changes == ["added morning-motivation"])
    #expect(try changes(["hints": ["badge": false]]).changes == [])
    // The queries changed nothing.
    #expect(try player.recipient == Self.player(hasQuietHours: false).recipient)
  }
}
