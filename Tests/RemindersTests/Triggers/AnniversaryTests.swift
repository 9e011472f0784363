import CivilTime
import JSON
import TestSupport
import Testing

@testable import Reminders

/// Rule G22: a date in an event recurs each year.
@Suite struct AnniversaryTests {
  private static let catalog = Fixtures.catalog(
    events: """
      {added: {friend: identifier, name: text, birthday: date?}, removed: {friend: identifier},
        greeted: {friend: identifier}}
      """,
    groups: "notes: {enabled: true, time: \"09:00\"}",
    reminders: [
      "soon":
        "every: {year: {from: birthday, at: \"18:00\", before: {days: 7}}}, since: added, "
        + "cancel: removed, messages: [{title: 'Soon: {{name}}', body: Now.}]",
      "today":
        "every: {year: {from: birthday, at: $time}}, since: added, cancel: removed, "
        + "unless: greeted, messages: [{title: '{{name}}', body: Now.}]",
    ])

  private static func friend(_ name: String, _ birthday: String) -> String {
    "event added {\"friend\": \"\(name)\", \"name\": \"\(name)\", \"birthday\": \"\(birthday)\"}"
  }

  private func expect(_ script: String) throws {
    try Diary.expect("2026-02-01 06:00  created\n" + script, catalog: Self.catalog)
  }

  @Test func `G22: each friend has birthdays, until the friend is removed`() throws {
    try expect(
      """
      2026-02-01 07:00  \(Self.friend("ann", "1960-03-02"))
      2026-02-01 07:00  \(Self.friend("bob", "1999-12-31"))
      2026-02-01 07:00  event added {"friend": "cat", "name": "cat"}
      2026-02-23 18:00  > soon "Soon: ann"
      2026-03-02 09:00  > today "ann"
      2026-12-24 18:00  > soon "Soon: bob"
      2026-12-31 08:00  event greeted {"friend": "bob"}
      2027-02-23 18:00  > soon "Soon: ann"
      2027-03-02 09:00  > today "ann"
      2027-06-01 12:00  event removed {"friend": "ann"}
      2027-12-24 18:00  > soon "Soon: bob"
      2027-12-31 09:00  > today "bob"
      2028-04-01 00:00  end
      """)
  }

  @Test func `G22: 29 February is the 28th in other years, and a lead counts from there`() throws {
    try expect(
      """
      2026-02-02 07:00  \(Self.friend("ann", "1996-02-29"))
      2026-02-21 18:00  > soon
      2026-02-28 09:00  > today
      2027-02-21 18:00  > soon
      2027-02-28 09:00  > today
      2028-02-22 18:00  > soon
      2028-02-29 09:00  > today
      2028-03-10 00:00  end
      """)
  }

  @Test func `G22: a lead in the previous year belongs to the date, leap year or not`() throws {
    try expect(
      """
      2026-02-02 07:00  \(Self.friend("ann", "1990-03-05"))
      2026-02-26 18:00  > soon
      2026-03-05 09:00  > today
      2027-02-26 18:00  > soon
      2027-03-05 09:00  > today
      2028-02-27 18:00  > soon
      2028-03-05 09:00  > today
      2028-06-02 07:00  \(Self.friend("ann", "1990-01-03"))
      2028-12-27 18:00  > soon
      2029-01-03 09:00  > today
      2029-06-10 00:00  end
      """)
  }

  @Test func `G22: a date in the future is the first of its days, and a new date replaces it`()
    throws
  {
    try expect(
      """
      2026-02-02 07:00  \(Self.friend("ann", "2028-05-10"))
      2028-05-03 18:00  > soon
      2028-05-04 12:00  \(Self.friend("ann", "2028-05-20"))
      2028-05-13 18:00  > soon
      2028-05-20 09:00  > today
      2029-05-13 18:00  > soon
      2029-05-20 09:00  > today
      2029-06-01 00:00  end
      """)
  }

  @Test func `G22: dates do not count towards the limit of plans`() throws {
    let catalog = Fixtures.catalog(
      events: """
        {added: {friend: identifier, birthday: date},
          planned: {medicine: identifier, schedule: plan}}
        """,
      reminders: [
        "today": "every: {year: {from: birthday, at: \"09:00\"}}, since: added",
        "dose": "every: {plan: schedule}, since: planned",
      ])
    var player = Player(
      planner: try Fixtures.planner(catalog: catalog), now: try utc("2026-03-02 06:00"))
    for number in 1...65 {
      try player.take("added", ["friend": .string("\(number)"), "birthday": "1990-03-05"])
    }
    try player.take("planned", ["medicine": "iron", "schedule": ["times": ["08:00"]]])
    player.advance(to: try utc("2026-03-05 12:00"))
    #expect(player.entries.count { $0.reminder == "dose" } == 4)
    #expect(player.entries.count { $0.reminder == "today" } == 65)
  }

  @Test func `G22: a changed time of day moves the next anniversary`() throws {
    try expect(
      """
      2026-02-02 07:00  \(Self.friend("ann", "1990-03-05"))
      2026-02-26 18:00  > soon
      2026-03-01 07:00  prefs {"reminders": {"notes": {"time": "07:15"}}}
      2026-03-05 07:15  > today
      2026-06-10 00:00  end
      """)
  }

  @Test(arguments: [
    (
      "every: {year: {from: birthda, at: \"09:00\"}}, since: added",
      "\"birthda\" is not a date that added carries; did you mean \"birthday\"? (known: birthday)"
    ),
    (
      "every: {year: {from: name, at: \"09:00\"}}, since: added",
      "\"name\" is not a date that added carries"
    ),
    (
      "every: {year: {from: birthday, at: \"09:00\"}}",
      "\"from\" needs \"since\" with the event that carries the date"
    ),
    (
      "every: {year: {from: birthday, at: \"09:00\"}}, since: \"2026-03-02\"",
      "\"since\" with \"from\" must name an event"
    ),
    ("every: {year: {from: birthday}}, since: added", "\"year\" needs \"at\""),
    (
      "every: {year: {from: birthday, at: \"09:00\", step: 2}}, since: added",
      "\"year\" has no \"step\" (known: from, at, before)"
    ),
    (
      "every: {year: {from: birthday, at: \"09:00\", before: {days: 0}}}, since: added",
      "\"days\" must be from 1 to 366"
    ),
    (
      "every: {year: {from: birthday, at: \"09:00\"}, day: {at: \"09:00\"}}, since: added",
      "\"day\" cannot be used with \"from\""
    ),
    (
      "every: {year: {from: birthday, at: \"09:00\"}, month: {from: birthday}}, since: added",
      "\"month\" cannot be used with \"from\""
    ),
    (
      "every: {year: {from: birthday, at: \"09:00\"}, at: \"09:00\"}, since: added",
      "\"at\" beside \"every\" needs \"plan\""
    ),
  ])
  func `G22: a mistake of the trigger is reported`(reminder: String, message: String) {
    let text = Fixtures.catalog(
      events: "{added: {friend: identifier, name: text, birthday: date}}",
      reminders: ["today": reminder])
    let error = #expect(throws: CatalogErrors.self) { try Fixtures.read(text) }
    #expect(error?.description.contains(": " + message) == true, "\(error?.description ?? "")")
  }

  @Test(arguments: Seeds.all)
  func `G22: anniversaries are those that trying each year finds`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<2_000 {
      let origin = LocalDate(daysSinceEpoch: .random(in: -20_000...30_000, using: &random))
      let lead = Int.random(in: 0...366, using: &random)
      let from = LocalDate(daysSinceEpoch: .random(in: 0...40_000, using: &random))
      var plan = EntityPlan(minutes: [540])
      (plan.dates, plan.lead) = (.months(step: 12), lead)
      plan.first = EntityPlan.Dose(date: origin - lead, minute: 0)
      #expect(plan.firstDate(from: from) == Self.naive(origin, lead: lead, from: from))
    }
  }

  /// Returns the result of `EntityPlan.firstDate(from:)` by trying every year.
  private static func naive(_ origin: LocalDate, lead: Int, from: LocalDate) -> LocalDate? {
    (origin.year...origin.year + 250).lazy.compactMap { year in
      LocalDate(year: year, month: origin.month, day: origin.day)
        ?? LocalDate(year: year, month: origin.month, day: origin.day - 1)
    }.map { $0 - lead }.first { $0 >= from && $0 >= origin - lead }
  }
}
