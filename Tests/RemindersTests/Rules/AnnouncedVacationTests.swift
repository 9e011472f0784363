import CivilTime
import JSON
import Reminders
import Testing

/// Rule V16: vacations that begin later.
@Suite struct AnnouncedVacationTests {
  private static let mistakes: [(type: String, data: JSONValue, path: String)] = [
    ("vacation.started", ["from": "2026-03-05", "until": "2026-03-04"], "data.until"),
    ("vacation.started", ["from": "2026-02-30", "until": "2026-03-04"], "data.from"),
    ("vacation.ended", ["from": "2026-03-05"], "data.from"),
    ("vacation.ended", ["until": "2026-03-05"], "data.until"),
    (
      "preferences.updated", ["vacation": ["announced": ["2026-03-05": .null]]],
      "data.vacation.announced"
    ),
    (
      "preferences.updated", ["vacation": ["announced": ["2026-03-05": "2026-03-04"]]],
      "data.vacation.announced.2026-03-05"
    ),
    (
      "preferences.updated", ["vacation": ["announced": ["soon": "2026-03-04"]]],
      "data.vacation.announced.soon"
    ),
    ("preferences.updated", ["vacation": ["announced": []]], "data.vacation.announced"),
  ]

  @Test func `V16: an announced vacation acts from its first through its last day`() throws {
    try Diary.expect(
      """
      2026-03-01 07:00  away 2026-03-03 2026-03-04
      2026-03-01 07:00  lesson 1
      2026-03-01 21:00  > daily-checkin-reminder
      2026-03-02 07:00  > daily-lesson-reminder
      2026-03-02 09:00  lesson 2
      2026-03-02 21:00  > daily-checkin-reminder
      2026-03-03 21:00  x daily-checkin-reminder (vacation)
      2026-03-04 21:00  x daily-checkin-reminder (vacation)
      2026-03-05 08:00  > daily-lesson-reminder of 2026-03-03 09:00 (vacation)
      2026-03-05 21:00  > daily-checkin-reminder
      2026-03-05 22:00  end
      """)
  }

  @Test func `V16: several vacations can be announced in any order`() throws {
    try Diary.expect(
      """
      2026-03-01 07:00  off lesson
      2026-03-01 07:00  away 2026-03-05 2026-03-05
      2026-03-01 07:00  away 2026-03-02 2026-03-03
      2026-03-01 21:00  > daily-checkin-reminder
      2026-03-02 21:00  x daily-checkin-reminder (vacation)
      2026-03-03 21:00  x daily-checkin-reminder (vacation)
      2026-03-04 21:00  > daily-checkin-reminder
      2026-03-05 21:00  x daily-checkin-reminder (vacation)
      2026-03-06 21:00  > daily-checkin-reminder
      2026-03-06 22:00  end
      """)
  }

  /// Friday's vacation continues on Saturday, so the occurrence is not sent between them.
  @Test func `V16: vacations without a day between them are one`() throws {
    try Diary.expect(
      """
      2026-03-04 09:00  off checkin
      2026-03-04 09:00  away 2026-03-06 2026-03-06
      2026-03-04 09:00  away 2026-03-07 2026-03-08
      2026-03-04 12:00  lesson 1
      2026-03-05 11:00  lesson 2
      2026-03-09 08:00  > daily-lesson-reminder of 2026-03-06 11:00 (vacation)
      2026-03-09 09:00  end
      """)
  }

  @Test func `V16: an announcement can be moved and cancelled`() throws {
    try Diary.expect(
      """
      2026-03-01 07:00  off lesson
      2026-03-01 07:00  away 2026-03-02 2026-03-20
      2026-03-01 07:00  away 2026-03-04 2026-03-05
      2026-03-01 08:00  away 2026-03-02 2026-03-02
      2026-03-01 21:00  > daily-checkin-reminder
      2026-03-02 21:00  x daily-checkin-reminder (vacation)
      2026-03-03 07:00  stay 2026-03-04
      2026-03-03 21:00  > daily-checkin-reminder
      2026-03-04 21:00  > daily-checkin-reminder
      2026-03-04 22:00  end
      """)
  }

  @Test func `V16: an announced vacation that has begun can be ended early`() throws {
    try Diary.expect(
      """
      2026-03-01 07:00  off checkin
      2026-03-01 07:00  away 2026-03-03 2026-03-10
      2026-03-01 07:00  away 2026-03-06 2026-03-06
      2026-03-01 07:30  lesson 1
      2026-03-02 07:30  > daily-lesson-reminder
      2026-03-02 12:00  lesson 2
      2026-03-04 12:00  back
      2026-03-04 12:00  > daily-lesson-reminder of 2026-03-03 12:00 (vacation)
      2026-03-05 10:00  lesson 3
      2026-03-07 08:00  > daily-lesson-reminder of 2026-03-06 10:00 (vacation)
      2026-03-07 13:00  end
      """)
  }

  /// A request of 1 March, 23:00, is held by quiet hours when the vacation begins.
  @Test func `V16: the expiry of a held occurrence stops when the vacation begins`() throws {
    let say = #"{"category": "NOTE", "title": "one", "body": "b", "expires": "5h"}"#
    try Diary.expect(
      """
      2026-03-01 07:00  off notes
      2026-03-01 07:00  quiet 22:00 07:00
      2026-03-01 07:00  away 2026-03-02 2026-03-05
      2026-03-01 23:00  say \(say)
      2026-03-06 07:00  > notification.requested of 2026-03-01 23:00 (vacation, quiet_hours) "one"
      2026-03-06 13:00  end
      """, catalog: Fixtures.noteCatalog(urgency: "normal"))
  }

  /// Half a day of the vacation has passed when it is cancelled: the request of 1 March, 23:00,
  /// which expires after 15 hours, expires on 3 March at 02:00.
  @Test(arguments: ["stay 2026-03-02", "back"])
  func `V16: the time of a vacation that is cancelled after its beginning does not expire`(
    end: String
  ) throws {
    let say = #"{"category": "NOTE", "title": "one", "body": "b", "expires": "15h"}"#
    try Diary.expect(
      """
      2026-03-01 07:00  off notes
      2026-03-01 07:00  quiet 22:00 07:00
      2026-03-01 07:00  away 2026-03-02 2026-03-05
      2026-03-01 23:00  say \(say)
      2026-03-02 12:00  quiet 09:00 01:00
      2026-03-02 12:00  \(end)
      2026-03-03 01:00  > notification.requested of 2026-03-01 23:00 (vacation, quiet_hours) "one"
      2026-03-03 13:00  end
      """, catalog: Fixtures.noteCatalog(urgency: "normal"))
  }

  /// The visit at 10:00 on the first day is announced at 09:00; the vacation begins at midnight.
  @Test func `V16: an appointment in a vacation is announced before the vacation`() throws {
    let catalog = """
      catalog: apps
      events: {booked: {visit: identifier, at: instant}}
      categories: {VISIT: {title: Visits, channels: {push: true}}}
      groups: {visits: {enabled: true}}
      reminders:
        visit: {category: VISIT, group: visits, before: {event: booked, at: at, by: 1h},
          expires: 1h, messages: [{title: Visit, body: b}]}
      """
    try Diary.expect(
      """
      2026-03-01 07:00  away 2026-03-03 2026-03-04
      2026-03-01 07:00  event booked {"visit": "a", "at": "2026-03-03T10:00:00Z"}
      2026-03-02 23:59  > visit of 2026-03-03 09:00 (vacation)
      2026-03-06 13:00  end
      """, catalog: catalog)
  }

  @Test func `V16: the vacation begins at midnight of the recipient's own zone`() throws {
    try Diary.expect(
      """
      2026-03-01 07:00  zone America/New_York
      2026-03-01 07:00  off lesson
      2026-03-01 07:00  set checkin 00:00
      2026-03-01 07:00  away 2026-03-03 2026-03-03
      2026-03-02 05:00  > daily-checkin-reminder
      2026-03-03 05:00  x daily-checkin-reminder (vacation)
      2026-03-04 05:00  > daily-checkin-reminder
      2026-03-04 22:00  end
      """)
  }

  @Test(arguments: Self.mistakes)
  func `V16: a mistake in an announcement is refused with its place`(
    type: String, data: JSONValue, path: String
  ) throws {
    var player = Player(planner: try Fixtures.planner(), now: try utc("2026-03-01 07:00"))
    let facts = player.recipient.facts
    let refusal = #expect(throws: Refusal.self) { try player.take(type, data) }
    #expect(refusal?.path == path)
    #expect(player.recipient.facts == facts)
  }

  @Test func `V16: a recipient has at most 16 announced vacations that are not over`() throws {
    var player = Player(planner: try Fixtures.planner(), now: try utc("2026-03-01 07:00"))
    for month in 3..<19 { try Self.announce(month, &player) }
    let refusal = #expect(throws: Refusal.self) { try Self.announce(19, &player) }
    #expect(refusal?.kind == .overfull)
    // Moving one is allowed, and so is another one after a cancellation.
    try Self.announce(5, &player)
    try player.take("vacation.ended", ["from": "2026-06-20"])
    try Self.announce(19, &player)
    #expect(Self.openCount(player) == 16)
  }

  /// Announces a vacation on the 20th of a month.
  ///
  /// - Parameter month: the number of months since January 2026.
  private static func announce(_ month: Int, _ player: inout Player) throws {
    let day = JSONValue.string(Self.day(month))
    try player.take("vacation.started", ["from": day, "until": day])
  }

  private static func day(_ month: Int) -> String {
    "202\(6 + month / 12)-\(month % 12 + 1 < 10 ? "0" : "")\(month % 12 + 1)-20"
  }

  private static func openCount(_ player: Player) -> Int {
    let facts = player.recipient.facts
    return facts.openVacations(in: player.planner.zone(of: facts)).count
  }

  @Test func `V16: a cancelled vacation counts again when it is announced again`() throws {
    var player = Player(planner: try Fixtures.planner(), now: try utc("2026-03-01 07:00"))
    for month in 3..<19 { try Self.announce(month, &player) }
    try player.take("vacation.ended", ["from": .string(Self.day(5))])
    try Self.announce(19, &player)
    let refusal = #expect(throws: Refusal.self) { try Self.announce(5, &player) }
    #expect(
      refusal?.description
        == "data.from is one of 17 announced vacations; at most 16 are allowed; cancel one with "
        + "vacation.ended and its \"from\"")
    #expect(Self.openCount(player) == 16)
  }

  /// The document has the announcements of all months, and cancels those of the given months.
  private static func document(_ months: Range<Int>, cancelling: Range<Int>) -> JSONValue {
    var dates = JSONObject()
    for month in months { dates[day(month)] = .string(day(month)) }
    for month in cancelling { dates[day(month)] = .null }
    return ["vacation": ["announced": .object(dates)]]
  }

  @Test func `V16: the announcements of one document count together`() throws {
    var player = Player(planner: try Fixtures.planner(), now: try utc("2026-03-01 07:00"))
    let refusal = #expect(throws: Refusal.self) {
      try player.take("preferences.updated", Self.document(3..<20, cancelling: 0..<0))
    }
    #expect(refusal?.kind == .overfull)
    #expect(refusal?.path == "data.vacation.announced")
    #expect(player.recipient.facts.vacations == [])
    try player.take("preferences.updated", Self.document(3..<19, cancelling: 0..<0))
    #expect(Self.openCount(player) == 16)
    // A document may replace announcements.
    try player.take("preferences.updated", Self.document(19..<21, cancelling: 3..<5))
    #expect(Self.openCount(player) == 16)
  }

  @Test func `V16: the announcements of one request count together`() throws {
    let planner = try Fixtures.planner()
    let now = try utc("2026-03-01 07:00")
    let recipient = Recipient(name: "amina", now: now)
    var intake = Intake()
    for month in 3..<20 {
      let event = try EventReader(planner: planner).event(
        [
          "specversion": "1.0", "id": .string("\(month)"), "source": "test",
          "type": "vacation.started", "subject": "amina",
          "data": ["from": .string(Self.day(month)), "until": .string(Self.day(month))],
        ], now: now)
      guard month < 19 else {
        let refusal = #expect(throws: Refusal.self) {
          try intake.check(event, of: recipient, now: now, planner: planner)
        }
        #expect(refusal?.kind == .overfull)
        continue
      }
      try intake.check(event, of: recipient, now: now, planner: planner)
      intake.add(
        Arrival(event, order: Int64(month)), of: recipient, now: now, planner: planner)
    }
  }

  @Test func `V16: a vacation that has ended is neither listed nor counted`() throws {
    var user = try FormUser(FormFixtures.planner())
    try user.player.take("vacation.started", ["from": "2026-03-03", "until": "2026-03-10"])
    try user.player.take("vacation.started", ["from": "2026-03-20", "until": "2026-03-21"])
    user.player.advance(to: try utc("2026-03-04 12:00"))
    try user.player.take("vacation.ended")
    let document = try user.document(.own)
    #expect(document.value(at: "vacation.announced") == ["2026-03-20": "2026-03-21"])
    #expect(Self.openCount(user.player) == 1)
  }

  @Test func `V16: a vacation may be cancelled again, but not without an announcement`() throws {
    var player = Player(planner: try Fixtures.planner(), now: try utc("2026-03-01 07:00"))
    try player.take("vacation.started", ["from": "2026-03-05", "until": "2026-03-06"])
    try player.take("vacation.started", ["from": "2026-04-05", "until": "2026-04-06"])
    try player.take("vacation.ended", ["from": "2026-03-05"])
    try player.take("vacation.ended", ["from": "2026-03-05"])
    #expect(Self.openCount(player) == 1)
    let refusal = #expect(throws: Refusal.self) {
      try player.take("vacation.ended", ["from": "2026-03-06"])
    }
    #expect(
      refusal?.description
        == "data.from is 2026-03-06, from which no vacation is announced; the announced ones begin "
        + "on 2026-04-05")
  }

  @Test func `V16: the preferences list announced vacations, and a write changes only some`() throws
  {
    var user = try FormUser(FormFixtures.planner())
    try user.write(
      ["vacation": ["announced": ["2026-12-20": "2027-01-03", "2026-07-01": "2026-07-14"]]],
      as: .own)
    try user.write(["vacation": ["announced": ["2026-07-01": .null]]], as: .own)
    let document = try user.document(.own)
    #expect(document.value(at: "vacation.announced") == ["2026-12-20": "2027-01-03"])
    let export = PreferencesExport(user.context).document
    try user.take(PreferencesExport(user.context).resetChanges)
    #expect(try user.document(.own).value(at: "vacation.announced") == [:])
    try user.write(["vacation": ["announced": ["2026-09-01": "2026-09-02"]]], as: .own)
    try user.take(PreferencesExport(user.context).changes(importing: export))
    #expect(try user.document(.own) == document)
  }

  @Test func `V16: an announcement is read as it was written`() throws {
    try Diary.expect(
      """
      2026-03-01 07:00  off lesson
      2026-03-01 07:00  away 2026-03-02 2026-03-02
      2026-03-01 07:00  away 2026-03-04 2026-03-05
      2026-03-01 08:00  stay 2026-03-04
      2026-03-01 09:00  restart
      2026-03-01 21:00  > daily-checkin-reminder
      2026-03-02 21:00  x daily-checkin-reminder (vacation)
      2026-03-03 21:00  > daily-checkin-reminder
      2026-03-04 21:00  > daily-checkin-reminder
      2026-03-04 22:00  end
      """)
  }
}
