import CivilTime
import JSON
import Testing

@testable import Reminders

/// Rule G15: each entity has the schedule that its event carries.
@Suite struct PlanTests {
  private static func catalog(_ options: String = "unless: taken") -> String {
    Fixtures.catalog(
      events: """
        {planned: {medicine: identifier, name: text, schedule: plan?},
          ended: {medicine: identifier}, taken: {medicine: identifier},
          held: {medicine: identifier}}
        """,
      groups: "notes: {enabled: true, times: [\"09:00\"]}",
      reminders: [
        "dose":
          "every: {plan: schedule, at: $times}, since: planned, cancel: ended, \(options), "
          + "pause: {event: held, days: 2}, messages: [{title: '{{name}}', body: Now.}]"
      ])
  }

  private static func expect(_ script: String, _ options: String = "unless: taken") throws {
    try Diary.expect("2026-03-02 06:00  created\n" + script, catalog: catalog(options))
  }

  private static func plan(_ name: String, _ schedule: String) -> String {
    "event planned {\"medicine\": \"\(name)\", \"name\": \"\(name)\", \"schedule\": \(schedule)}"
  }

  private static let everySecondDay =
    #"{"times": ["07:30"], "from": "2026-03-02", "every": {"days": 2}}"#
  private static let course = #"{"times": ["08:00"], "from": "2026-03-27", "count": 7}"#

  @Test func `G15: three medicines are added, changed, paused and ended`() throws {
    try Self.expect(
      """
      2026-03-02 07:00  \(Self.plan("iron", #"{"times": ["08:00", "20:00"]}"#))
      2026-03-02 07:00  \(Self.plan("zinc", #"{"times": ["08:30"], "days": ["mon", "wed"]}"#))
      2026-03-02 07:00  \(Self.plan("salt", Self.everySecondDay))
      2026-03-02 07:30  > dose "salt"
      2026-03-02 08:00  > dose "iron"
      2026-03-02 08:30  > dose "zinc"
      2026-03-02 19:00  event taken {"medicine": "iron"}
      2026-03-02 21:00  \(Self.plan("iron", #"{"times": ["21:30"]}"#))
      2026-03-03 12:00  restart
      2026-03-03 21:30  > dose "iron"
      2026-03-04 06:00  event held {"medicine": "salt"}
      2026-03-04 07:00  event ended {"medicine": "zinc"}
      2026-03-04 21:30  > dose "iron"
      2026-03-05 21:30  > dose "iron"
      2026-03-06 07:30  > dose "salt"
      2026-03-06 08:00  event ended {"medicine": "iron"}
      2026-03-08 07:30  > dose "salt"
      2026-03-09 00:00  end
      """)
  }

  @Test func `G24: a time of a date that a plan does not have does not shorten the day`() throws {
    let mondays = #"{"times": ["01:00", "22:00"], "days": ["mon"]}"#
    try Self.expect(
      """
      2026-03-02 07:00  \(Self.plan("zinc", mondays))
      2026-03-02 22:00  > dose "zinc"
      2026-03-08 20:00  event taken {"medicine": "zinc"}
      2026-03-09 22:00  > dose "zinc"
      2026-03-10 00:00  end
      """, "unless: taken, dayBegins: \"04:00\"")
  }

  @Test func `G15: a course counts its doses in the week in which the clocks change`() throws {
    try Diary.expect(
      """
      2026-03-27 05:00  zone Europe/Berlin
      2026-03-27 05:00  \(Self.plan("iron", Self.course))
      2026-03-27 07:00  > dose
      2026-03-28 07:00  > dose
      2026-03-29 06:00  > dose
      2026-03-30 06:00  > dose
      2026-03-31 06:00  > dose
      2026-04-01 06:00  > dose
      2026-04-02 06:00  > dose
      2026-04-20 00:00  end
      """, catalog: Self.catalog())
  }

  @Test func `G15: a plan in its own zone stays there, and others follow the recipient`() throws {
    try Self.expect(
      """
      2026-03-02 07:00  zone Europe/Berlin
      2026-03-02 07:00  \(Self.plan("home", #"{"times": ["20:00"], "zone": "Europe/Berlin"}"#))
      2026-03-02 07:00  \(Self.plan("own", #"{"times": ["20:00"]}"#))
      2026-03-02 12:00  zone America/New_York
      2026-03-02 19:00  > dose "home"
      2026-03-03 01:00  > dose "own"
      2026-03-03 02:00  end
      """)
  }

  @Test func `G15: 21 days with a dose are followed by 7 without`() throws {
    var player = Player(
      planner: try Fixtures.planner(catalog: Self.catalog()), now: try utc("2026-03-01 00:00"))
    try player.take(
      "planned",
      [
        "medicine": "pill", "name": "Pill",
        "schedule": [
          "times": ["08:00"], "from": "2026-03-01", "cycle": ["on": 21, "off": 7],
        ],
      ])
    player.advance(to: try utc("2026-04-20 00:00"))
    let days = player.entries.map { $0.planned.milliseconds / 86_400_000 }
    let first = try #require(days.first)
    #expect(days.map { $0 - first } == Array(0..<21) + Array(28..<49))
  }

  @Test func `G15: an event without a plan has the times of the settings group`() throws {
    try Self.expect(
      """
      2026-03-02 07:00  event planned {"medicine": "iron", "name": "iron"}
      2026-03-02 09:00  > dose
      2026-03-02 12:00  prefs {"reminders": {"notes": {"times": ["10:00", "18:00"]}}}
      2026-03-02 18:00  > dose
      2026-03-03 10:00  > dose
      2026-03-03 11:00  end
      """)
  }

  @Test func `G15: of missed doses of one medicine only the latest is sent`() throws {
    try Self.expect(
      """
      2026-03-02 07:00  \(Self.plan("iron", #"{"times": ["08:00", "09:00"]}"#))
      2026-03-02 07:00  \(Self.plan("zinc", #"{"times": ["08:30"]}"#))
      2026-03-02 10:00  jump
      2026-03-02 10:00  x dose of 2026-03-02 08:00 (missed)
      2026-03-02 10:00  > dose of 2026-03-02 08:30
      2026-03-02 10:00  > dose of 2026-03-02 09:00
      2026-03-02 11:00  end
      """)
  }

  @Test func `G15: a dose between a late event and its arrival is overdue and not lost`() throws {
    try Self.expect(
      """
      2026-03-02 09:00  \(Self.plan("iron", #"{"times": ["07:00", "08:00"]}"#)) @ 2026-03-02 06:30
      2026-03-02 09:00  > dose of 2026-03-02 08:00
      2026-03-02 09:05  \(Self.plan("iron", #"{"times": ["08:00"]}"#)) @ 2026-03-02 07:30
      2026-03-02 10:00  \(Self.plan("zinc", #"{"times": ["08:00"]}"#)) @ 2026-03-02 09:30
      2026-03-03 08:00  > dose
      2026-03-03 08:00  > dose
      2026-03-03 09:00  end
      """)
  }

  /// The app's clock is five minutes ahead.
  @Test func `T15: a plan that replaces another before its own time loses no dose`() throws {
    var player = Player(
      planner: try Fixtures.planner(catalog: Self.catalog()), now: try utc("2026-03-02 07:00"))
    func report(_ name: String, _ times: JSONValue, at time: String? = nil) throws {
      let data: JSONValue = [
        "medicine": .string(name), "name": .string(name), "schedule": ["times": times],
      ]
      try player.take("planned", data, at: time.map { try utc($0) })
    }
    try report("iron", ["08:00"])
    try report("zinc", ["08:00"])
    player.advance(to: try utc("2026-03-02 07:58"))
    try report("iron", ["08:00", "08:02", "20:00"], at: "2026-03-02 08:03")
    try report("salt", ["08:00", "21:00"], at: "2026-03-02 08:03")
    try player.restart()
    player.advance(to: try utc("2026-03-02 08:01"))
    try report("zinc", ["08:00", "22:00"], at: "2026-03-02 08:06")
    player.advance(to: try utc("2026-03-03 07:00"))
    #expect(
      player.entries.map { "\($0.title) \($0.planned)".dropLast(8) }.sorted() == [
        "iron 2026-03-02T08:00", "iron 2026-03-02T08:02", "iron 2026-03-02T20:00",
        "salt 2026-03-02T21:00", "zinc 2026-03-02T08:00", "zinc 2026-03-02T22:00",
      ])
  }

  @Test func `G15: gates hold, collect and drop doses as those of any series`() throws {
    try Self.expect(
      """
      2026-03-02 07:00  quiet 22:00 06:00
      2026-03-02 07:00  \(Self.plan("iron", #"{"times": ["22:10"]}"#))
      2026-03-02 07:00  \(Self.plan("salt", #"{"times": ["22:20"]}"#))
      2026-03-02 07:00  \(Self.plan("zinc", #"{"times": ["22:30"]}"#))
      2026-03-03 06:00  > digest of 2026-03-02 22:10 (quiet_hours) "3 reminders"
      2026-03-03 06:00  + dose of 2026-03-02 22:10 (quiet_hours) "iron"
      2026-03-03 06:00  + dose of 2026-03-02 22:20 (quiet_hours) "salt"
      2026-03-03 06:00  + dose of 2026-03-02 22:30 (quiet_hours) "zinc"
      2026-03-03 07:00  vacation 2026-03-03
      2026-03-03 22:10  x dose (quiet_hours, vacation) "iron"
      2026-03-03 22:20  x dose (quiet_hours, vacation) "salt"
      2026-03-03 22:30  x dose (quiet_hours, vacation) "zinc"
      2026-03-04 00:00  end
      """)
  }

  @Test func `G15: a dose that is not taken is repeated, and each medicine for itself`() throws {
    try Self.expect(
      """
      2026-03-02 07:00  \(Self.plan("iron", #"{"times": ["08:00"]}"#))
      2026-03-02 07:00  \(Self.plan("zinc", #"{"times": ["08:00"]}"#))
      2026-03-02 08:00  > dose
      2026-03-02 08:00  > dose
      2026-03-02 08:10  event taken {"medicine": "iron"}
      2026-03-02 08:30  > dose+1 "zinc"
      2026-03-02 09:00  end
      """, "unless: taken, again: {every: 30m, times: 1}")
  }

  @Test func `G15: the repetitions of a dose continue if its plan is reported again`() throws {
    try Self.expect(
      """
      2026-03-02 07:00  \(Self.plan("iron", #"{"times": ["08:00"]}"#))
      2026-03-02 08:00  > dose
      2026-03-02 08:10  \(Self.plan("iron", #"{"times": ["08:00"]}"#))
      2026-03-02 08:10  \(Self.plan("zinc", #"{"times": ["08:00"]}"#))
      2026-03-02 08:30  > dose+1 "iron"
      2026-03-02 09:00  end
      """, "unless: taken, again: {every: 30m, times: 1}")
  }

  @Test func `G15: a held dose ends if its plan is replaced by one without it`() throws {
    try Self.expect(
      """
      2026-03-02 07:00  quiet 22:00 06:00
      2026-03-02 07:00  \(Self.plan("iron", #"{"times": ["22:10"]}"#))
      2026-03-02 07:00  \(Self.plan("salt", #"{"times": ["22:20"]}"#))
      2026-03-02 23:00  \(Self.plan("iron", #"{"times": ["20:00"]}"#))
      2026-03-03 06:00  > dose of 2026-03-02 22:20 (quiet_hours) "salt"
      2026-03-03 09:00  end
      """)
  }

  @Test func `G15: a series that the recipient ends is one medicine's, until it is planned again`()
    throws
  {
    var player = Player(
      planner: try Fixtures.planner(catalog: Self.catalog()), now: try utc("2026-03-02 07:00"))
    for name in ["iron", "zinc"] {
      try player.take(
        "planned",
        [
          "medicine": .string(name), "name": .string(name),
          "schedule": ["times": ["08:00"]],
        ])
    }
    player.advance(to: try utc("2026-03-02 09:00"))
    let iron = try #require(player.entries.first { $0.title == "iron" })
    try player.take(
      "pending.cancelled",
      ["reminder": "dose", "series": true, "occurrence": .string("\(iron.key)")])
    player.advance(to: try utc("2026-03-03 09:00"))
    #expect(player.entries.map(\.title).sorted() == ["iron", "zinc", "zinc"])
    try player.take(
      "pending.resumed",
      ["reminder": "dose", "series": true, "occurrence": .string("\(iron.key)")])
    player.advance(to: try utc("2026-03-04 09:00"))
    #expect(player.entries.map(\.title).sorted() == ["iron", "iron", "zinc", "zinc", "zinc"])
  }

  @Test func `G15: a snooze moves the dose of one medicine`() throws {
    var player = Player(
      planner: try Fixtures.planner(catalog: Self.catalog()), now: try utc("2026-03-02 07:00"))
    for name in ["iron", "zinc"] {
      try player.take(
        "planned",
        [
          "medicine": .string(name), "name": .string(name),
          "schedule": ["times": ["08:00"]],
        ])
    }
    let pending = player.recipient.pending(now: player.now, planner: player.planner)
    let key = try #require(pending.first).key
    try player.take(
      "pending.snoozed",
      ["reminder": "dose", "occurrence": .string("\(key)"), "for": "1h"])
    player.advance(to: try utc("2026-03-02 12:00"))
    #expect(player.entries.map(\.at) == [try utc("2026-03-02 08:00"), try utc("2026-03-02 09:00")])
    player.advance(to: try utc("2026-03-03 12:00"))
    #expect(player.entries.count == 4)
  }

  @Test(arguments: [
    (
      "every: {plan: schedul}, since: planned",
      "\"schedul\" is not a plan that planned carries; "
        + "did you mean \"schedule\"? (known: schedule)"
    ),
    ("every: {plan: schedule}", "\"plan\" needs \"since\" with the event that carries the plan"),
    (
      "every: {plan: schedule}, since: \"2026-03-02\"",
      "\"since\" with \"plan\" must name an event"
    ),
    (
      "every: {plan: schedule}, since: loose",
      "\"since\" with \"plan\" must name one event with an identifier"
    ),
    (
      "every: {plan: schedule, day: {at: \"09:00\"}}, since: planned",
      "\"day\" cannot be used with \"plan\""
    ),
    (
      "every: {plan: schedule}, since: planned, smart: true",
      "\"smart\" cannot be used with \"plan\""
    ),
    (
      "every: {plan: schedule}, since: planned, skip: {weekends: true, move: after}",
      "\"move\" cannot be used with \"plan\""
    ),
    (
      "every: {at: \"09:00\"}", "\"at\" beside \"every\" needs \"plan\""
    ),
  ])
  func `G15: a mistake of the trigger is reported`(reminder: String, message: String) {
    let text = Fixtures.catalog(
      events: "{planned: {medicine: identifier, schedule: plan}, loose: {schedule: plan}}",
      reminders: ["dose": reminder])
    let error = #expect(throws: CatalogErrors.self) { try Fixtures.read(text) }
    #expect(error?.description.contains(": " + message) == true, "\(error?.description ?? "")")
  }

  @Test func `H12: 64 plans are accepted, and one more is refused until one ends`() throws {
    var player = Player(
      planner: try Fixtures.planner(catalog: Self.catalog()), now: try utc("2026-03-02 07:00"))
    func plan(_ number: Int) -> JSONValue {
      [
        "medicine": .string("\(number)"), "name": "a", "schedule": ["times": ["08:00"]],
      ]
    }
    for number in 0..<EntityPlan.plansMax { try player.take("planned", plan(number)) }
    #expect(throws: Refusal.self) { try player.take("planned", plan(64)) }
    try player.take("planned", plan(0))
    try player.take("ended", ["medicine": "1"])
    try player.take("planned", plan(64))
    try player.restart()
    player.advance(to: try utc("2026-03-04 07:00"))
    #expect(player.entries.count == 2 * EntityPlan.plansMax)
  }
}
