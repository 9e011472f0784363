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
    func announce(_ month: Int, _ player: inout Player) throws {
      let day = "202\(6 + month / 12)-\(month % 12 + 1 < 10 ? "0" : "")\(month % 12 + 1)-20"
      try player.take("vacation.started", ["from": .string(day), "until": .string(day)])
    }
    for month in 3..<19 { try announce(month, &player) }
    let refusal = #expect(throws: Refusal.self) { try announce(19, &player) }
    #expect(refusal?.kind == .overfull)
    // Moving one is allowed, and so is another one after a cancellation.
    try announce(5, &player)
    try player.take("vacation.ended", ["from": "2026-06-20"])
    try announce(19, &player)
    #expect(player.recipient.facts.openVacations.count == 16)
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
