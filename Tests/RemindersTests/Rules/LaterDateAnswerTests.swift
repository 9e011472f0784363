import CivilTime
import JSON
import Testing

@testable import Reminders

/// Rules P5 and N4: the answer to a change names the dates of a series that change, whether they
/// are the next ones or later ones. The key of 2026-03-02 is 20,514.
@Suite struct LaterDateAnswerTests {
  private static func checkins(at now: String = "2026-03-02 09:00") throws -> Player {
    var player = Player(planner: try Fixtures.planner(), now: try utc(now))
    try player.take("lesson.completed", ["day": 30])
    return player
  }

  private static func command(_ key: Int64, _ more: JSONObject = [:]) -> JSONValue {
    var data = more
    data["reminder"] = "daily-checkin-reminder"
    data["occurrence"] = .string("\(key)")
    return .object(data)
  }

  @Test func `N4: the answer to a cancelled later date names that date alone`() throws {
    let player = try Self.checkins()
    let answer = try player.answer(to: "pending.cancelled", Self.command(20_515))
    #expect(
      answer.lines == ["cancelled daily-checkin-reminder 2026-03-03 21:00 -> - [cancelled]"])
    #expect(answer.warnings == [])
  }

  @Test func `N4: the answer to a snoozed later date names both instants`() throws {
    var player = try Self.checkins()
    let snooze = Self.command(20_516, ["for": "2h"])
    #expect(
      try player.answer(to: "pending.snoozed", snooze).lines == [
        "moved daily-checkin-reminder 2026-03-04 21:00 -> 2026-03-04 23:00 []"
      ])
    try player.take("pending.snoozed", snooze)
    #expect(
      try player.answer(to: "pending.cancelled", Self.command(20_516)).lines == [
        "cancelled daily-checkin-reminder 2026-03-04 23:00 -> - [cancelled]"
      ])
  }

  @Test func `N4: the answer to a resumed later date names its instant`() throws {
    var player = try Self.checkins()
    try player.take("pending.cancelled", Self.command(20_515))
    #expect(
      try player.answer(to: "pending.resumed", Self.command(20_515)).lines == [
        "added daily-checkin-reminder - -> 2026-03-03 21:00 []"
      ])
  }

  @Test func `P5: a later date that stays planned is neither added nor cancelled`() throws {
    var player = try Self.checkins()
    #expect(
      try player.answer(to: "pending.cancelled", Self.command(20_514)).lines == [
        "cancelled daily-checkin-reminder 2026-03-02 21:00 -> - [cancelled]"
      ])
    try player.take("pending.cancelled", Self.command(20_514))
    #expect(
      try player.answer(to: "pending.resumed", Self.command(20_514)).lines == [
        "added daily-checkin-reminder - -> 2026-03-02 21:00 []"
      ])
  }

  @Test func `P5: a new time cancels today's date and moves the next one`() throws {
    let player = try Self.checkins(at: "2026-03-02 20:00")
    let time: JSONValue = ["reminders": ["checkin": ["time": "19:00"]]]
    #expect(
      try player.answer(to: "preferences.updated", time).lines == [
        "cancelled daily-checkin-reminder 2026-03-02 21:00 -> - [overtaken]",
        "moved daily-checkin-reminder 2026-03-03 21:00 -> 2026-03-03 19:00 []",
      ])
  }

  @Test func `P5: a later date that a snooze moves into quiet hours has its reason and a warning`()
    throws
  {
    var player = try Self.checkins()
    try player.take(
      "preferences.updated", ["quietHours": ["enabled": true, "start": "22:00", "end": "07:00"]])
    let answer = try player.answer(
      to: "pending.snoozed", Self.command(20_516, ["for": "2h"]))
    #expect(
      answer.lines == [
        "moved daily-checkin-reminder 2026-03-04 21:00 -> 2026-03-05 07:00 [quiet_hours]"
      ])
    #expect(
      answer.warnings == [
        "daily-checkin-reminder of 2026-03-04 23:00 will move to 2026-03-05 07:00: quiet_hours"
      ])
  }

  private static let pill = """
    every: {day: {at: "08:00"}}, unless: taken, again: {every: 30m, times: 2}, expires: 4h
    """

  @Test(arguments: ["20514", "20516"])
  func `T14: the answer to a cancelled date names its repetitions`(key: String) throws {
    let catalog = Fixtures.catalog(events: "{taken: {}}", reminders: ["pill": Self.pill])
    var player = Player(
      planner: try Fixtures.planner(catalog: catalog), now: try utc("2026-03-02 06:00"))
    try player.take("recipient.updated", ["name": "Amina"])
    let answer = try player.answer(
      to: "pending.cancelled", ["reminder": "pill", "occurrence": .string(key)])
    let date = key == "20514" ? "2026-03-02" : "2026-03-04"
    #expect(
      answer.lines == [
        "cancelled pill \(date) 08:00 -> - [cancelled]",
        "cancelled pill+1 \(date) 08:30 -> - [cancelled]",
        "cancelled pill+2 \(date) 09:00 -> - [cancelled]",
      ])
  }

  @Test func `N4: the answer to a cancelled later dose names one medicine`() throws {
    let catalog = Fixtures.catalog(
      events: "{planned: {medicine: identifier, schedule: plan?}}",
      groups: "notes: {enabled: true, times: [\"09:00\"]}",
      reminders: ["dose": "every: {plan: schedule, at: $times}, since: planned"])
    var player = Player(
      planner: try Fixtures.planner(catalog: catalog), now: try utc("2026-03-02 06:00"))
    for (name, time) in [("iron", "08:00"), ("zinc", "08:00")] {
      try player.take(
        "planned", ["medicine": .string(name), "schedule": ["times": [.string(time)]]])
    }
    let later = try utc("2026-03-04 08:00")
    let dose = try #require(
      player.recipient.simulatedFirings(
        from: player.now, through: later, planner: player.planner
      ).first { $0.planned == later })
    let data: JSONValue = ["reminder": "dose", "occurrence": .string("\(dose.key)")]
    #expect(
      try player.answer(to: "pending.cancelled", data).lines == [
        "cancelled dose 2026-03-04 08:00 -> - [cancelled]"
      ])
  }

  /// The courses alternate: the next date is that of a, the named one that of b.
  @Test func `N10: the answer names the date by which a series is ended or resumed`() throws {
    let catalog = Fixtures.catalog(
      events: "{course: {course: identifier}}",
      reminders: ["step": "every: {day: {at: '23:00', step: 2}}, since: course"])
    var player = Player(
      planner: try Fixtures.planner(catalog: catalog), now: try utc("2026-03-01 09:00"))
    try player.take("course", ["course": "a"])
    player.advance(to: try utc("2026-03-02 09:00"))
    try player.take("course", ["course": "b"])
    let command: JSONValue = ["reminder": "step", "occurrence": "20515", "series": true]
    #expect(
      try player.answer(to: "pending.cancelled", command).lines == [
        "cancelled step of b 2026-03-03 23:00 -> - [series_cancelled]"
      ])
    try player.take("pending.cancelled", command)
    #expect(
      try player.answer(to: "pending.resumed", command).lines == [
        "added step of b - -> 2026-03-03 23:00 []"
      ])
  }

  @Test func `P5: the next year's date of a yearly series stays planned`() throws {
    let catalog = Fixtures.catalog(
      reminders: ["renew": "every: {year: {on: ['03-05'], at: '09:00'}}"])
    var player = Player(
      planner: try Fixtures.planner(catalog: catalog), now: try utc("2026-03-02 09:00"))
    try player.take("recipient.updated", ["name": "Amina"])
    #expect(
      try player.answer(to: "pending.cancelled", ["reminder": "renew"]).lines == [
        "cancelled renew 2026-03-05 09:00 -> - [cancelled]"
      ])
    try player.take("pending.cancelled", ["reminder": "renew"])
    #expect(
      try player.answer(to: "pending.resumed", ["reminder": "renew"]).lines == [
        "added renew - -> 2026-03-05 09:00 []"
      ])
  }
}
