import CivilTime
import JSON
import Reminders
import Testing

/// Rules G2 and G3: the declarations of the shipped catalogs, and a day with each.
@Suite struct ShippedCatalogTests {
  @Test(arguments: ["imanpath", "wellness", "trials", "rooms"])
  func `a shipped catalog is valid`(name: String) throws {
    let catalog = try Fixtures.read(Fixtures.shipped(name))
    #expect(catalog.catalogNames == [name])
    #expect(!catalog.reminders.isEmpty)
  }

  @Test func `G2: wellness has every settings group`() throws {
    let catalog = try Fixtures.read(Fixtures.shipped("wellness"))
    let groups = [
      "meals", "breakfast", "lunch", "dinner", "snacks", "weight", "exercise", "medication",
      "weekly", "monthly", "milestones", "streaks", "goals", "newContent", "tips", "lessons",
      "appointments", "messages", "labResults", "checkinRequests", "encouragement", "community",
      "challenges", "inactivity", "recommended", "resources", "knowledgeChecks", "support",
    ]
    for group in groups {
      #expect(catalog.settings.index(of: "reminders.\(group).enabled") != nil, "\(group)")
    }
    // Messages about other people have no group (rule G17).
    let switches = Set(catalog.reminders.map { catalog.settings.definitions[$0.groupSwitch].path })
      .filter { $0.hasPrefix("reminders.") }
    #expect(switches.count == groups.count - 1, "each group except meals has a reminder")
  }

  @Test func `G2: a day of the wellness program has the expected reminders`() throws {
    try Diary.expect(
      """
      2026-03-02 06:00  zone UTC
      2026-03-02 06:00  prefs {"channels": {"inapp": false}}
      2026-03-02 06:00  off tips encouragement exercise weekly monthly
      2026-03-02 06:00  on snacks medication
      2026-03-02 06:10  event appointment.booked \
      {"appointment": "1", "at": "2026-03-03T09:00:00Z", "provider": "Dr. Wu"}
      2026-03-02 06:10  x appointment-preparation by push+email (missed)
      2026-03-02 06:20  event provider.message {"message": "1", "provider": "Dr. Wu"}
      2026-03-02 06:20:01  > provider-message by push+email "New Message"
      2026-03-02 07:30  > weight-reminder
      2026-03-02 07:55  event medication.taken
      2026-03-02 08:00  > breakfast-reminder
      2026-03-02 09:00  > appointment-reminder by push+email
      2026-03-02 09:30  prefs {"reminders": {"messages": {"priority": "urgent"}}}
      2026-03-02 09:40  event provider.message {"message": "2", "provider": "Dr. Wu"}
      2026-03-02 09:45  event provider.message.urgent {"message": "3", "provider": "Dr. Wu"}
      2026-03-02 09:45:01  > provider-message-urgent by push+email "Urgent Message"
      2026-03-02 11:00  event content.published {"content": "1", "title": "Sleep"}
      2026-03-02 11:40  > snack-reminder
      2026-03-02 12:00  event lunch.logged
      2026-03-02 15:20  > snack-reminder
      2026-03-02 19:00  > dinner-reminder
      2026-03-02 20:00  > medication-reminder
      2026-03-02 20:30  > medication-reminder+1
      2026-03-02 20:45  event medication.taken
      2026-03-03 07:00  > appointment-reminder by push+email "Appointment"
      2026-03-03 08:00  > breakfast-reminder
      2026-03-03 08:00  > medication-reminder
      2026-03-03 08:05  event medication.skipped
      2026-03-03 10:00  > new-content-daily
      2026-03-03 11:00  end
      """, catalog: Fixtures.shipped("wellness"))
  }

  @Test func `G15: the wellness program reminds of each planned medicine instead`() throws {
    try Diary.expect(
      """
      2026-03-02 06:00  zone UTC
      2026-03-02 06:00  prefs {"channels": {"inapp": false}}
      2026-03-02 06:00  off meals weight tips encouragement exercise weekly monthly newContent
      2026-03-02 06:00  on medication
      2026-03-02 08:00  > medication-reminder "Medication"
      2026-03-02 08:05  event medication.taken
      2026-03-02 12:00  event medication.planned {"medication": "1", "name": "Iron", \
      "schedule": {"times": ["13:00"]}}
      2026-03-02 12:00  event medication.planned {"medication": "2", "name": "Zinc"}
      2026-03-02 13:00  > medicine-reminder "Medication"
      2026-03-02 13:10  event dose.taken {"medication": "1"}
      2026-03-02 20:00  > medicine-reminder "Medication"
      2026-03-02 20:10  event dose.taken {"medication": "2"}
      2026-03-03 07:00  event medication.ended {"medication": "2"}
      2026-03-03 13:00  > medicine-reminder "Medication"
      2026-03-03 13:10  end
      """, catalog: Fixtures.shipped("wellness"))
  }

  @Test func `G3: a trial has reminders before it ends`() throws {
    try Diary.expect(
      """
      2026-03-02 06:00  zone America/New_York
      2026-03-02 20:00  event trial.started \
      {"trial": "1", "name": "Spotify", "ends": "2026-03-10T20:00:00Z"}
      2026-03-02 20:00  event trial.started \
      {"trial": "2", "name": "Netflix", "ends": "2026-03-10T20:00:00Z"}
      2026-03-03 20:00  event trial.reminder.set \
      {"trial": "1", "name": "Spotify", "at": "2026-03-04T15:30:00Z"}
      2026-03-04 15:30  > trial-reminder "Trial Reminder"
      2026-03-05 20:00  event trial.cancelled {"trial": "2"}
      2026-03-07 14:00  > trial-ending "Trial Ending Soon"
      2026-03-09 13:00  > trial-ending-tomorrow "Trial Reminder"
      2026-03-10 13:00  > trial-ending-today "Trial Ends in 7 hours"
      2026-03-10 20:00  > trial-ended "Trial Ended"
      2026-03-20 00:00  end
      """, catalog: Fixtures.shipped("trials"))
  }

  /// Quiet hours that last beyond the trial's end move the last reminder to the evening before.
  @Test func `G8: a trial's last reminder has a title that is true when it is sent`() throws {
    try Diary.expect(
      """
      2026-03-01 08:00  quiet 00:00 17:00
      2026-03-01 08:00  event trial.started \
      {"trial": "1", "name": "Spotify", "ends": "2026-03-02T16:00:00Z"}
      2026-03-01 08:00  x trial-ending (missed)
      2026-03-01 17:00  > trial-ending-tomorrow of 2026-03-01 09:00 (quiet_hours) "Trial Reminder"
      2026-03-01 23:45  > trial-ending-today of 2026-03-02 09:00 (quiet_hours) "Trial Ends tomorrow"
      2026-03-02 17:00  > trial-ended of 2026-03-02 16:00 (quiet_hours) "Trial Ended"
      2026-03-10 00:00  end
      """, catalog: Fixtures.shipped("trials"))
  }

  @Test func `G2: the care team's content and support checks have reminders`() throws {
    try Diary.expect(
      """
      2026-03-02 06:00  prefs {"channels": {"inapp": false}}
      2026-03-02 06:00  off meals weight exercise weekly monthly tips encouragement inactivity
      2026-03-02 09:00  event content.recommended {"content": "1", "title": "Sleep well"}
      2026-03-02 09:00  event content.recommended {"content": "2", "title": "Eat well"}
      2026-03-02 09:30  event resource.highlighted {"resource": "1", "title": "A helpline"}
      2026-03-02 09:30:01  > resource-highlight "Worth a Look"
      2026-03-02 10:00  event knowledge.check.opened \
      {"check": "1", "title": "Sleep", "until": "2026-03-06T12:00:00Z"}
      2026-03-02 10:00:01  > knowledge-check "Knowledge Check"
      2026-03-02 11:00  event content.viewed {"content": "2"}
      2026-03-02 15:00  > recommended-content "Recommended for You"
      2026-03-03 09:00  event support.started {"supporter": "Dana"}
      2026-03-04 12:00  > support-checkin "How Are You Doing?"
      2026-03-05 16:00  > knowledge-check-closing "Knowledge Check"
      2026-03-06 09:00  event support.ended
      2026-03-12 00:00  end
      """, catalog: Fixtures.shipped("wellness"))
  }

  /// Urgent messages and appointment reminders are sent during the vacation. A lab result is held
  /// until the vacation ends.
  @Test func `V4: a vacation drops no message of the care team`() throws {
    try Diary.expect(
      """
      2026-03-02 08:00  prefs {"channels": {"inapp": false}}
      2026-03-02 08:00  off meals weight exercise weekly monthly tips encouragement inactivity
      2026-03-02 08:00  vacation 2026-03-08
      2026-03-03 09:00  event lab.result {"result": "1", "test": "HbA1c"}
      2026-03-03 10:00  event provider.message.urgent {"message": "1", "provider": "Dr. Wu"}
      2026-03-03 10:00:01  > provider-message-urgent by push+email "Urgent Message"
      2026-03-03 11:00  event appointment.booked \
      {"appointment": "1", "at": "2026-03-05T09:00:00Z", "provider": "Dr. Wu"}
      2026-03-03 11:00  x appointment-preparation by push+email (missed)
      2026-03-04 09:00  > appointment-reminder by push+email
      2026-03-05 07:00  > appointment-reminder by push+email
      2026-03-09 08:00  > lab-result by push+email of 2026-03-03 09:00:01 (vacation) "Lab Result"
      2026-03-10 00:00  end
      """, catalog: Fixtures.shipped("wellness"))
  }

  /// One achievement is delivered at once. Another is still held when the recipient switches to
  /// later delivery.
  @Test func `V11: an achievement that was delivered at once is not repeated later`() throws {
    try Diary.expect(
      """
      2026-03-02 08:00  prefs {"channels": {"inapp": false}}
      2026-03-02 08:00  off meals weight exercise weekly monthly tips encouragement inactivity
      2026-03-02 09:00  event achievement.reached {"name": "10 km"}
      2026-03-02 09:00:01  > achievement "Milestone Reached"
      2026-03-02 09:30  quiet 09:00 12:00
      2026-03-02 10:00  event achievement.reached {"name": "20 km"}
      2026-03-02 11:00  prefs {"reminders": {"milestones": {"immediate": false}}}
      2026-03-03 18:00  > achievement-later "Milestone Reached"
      2026-03-06 00:00  end
      """, catalog: Fixtures.shipped("wellness"))
  }

  @Test(arguments: [(true, "For You, Amina"), (false, "For You")])
  func `G2: motivation contains the recipient's name if the recipient wants that`(
    isPersonal: Bool, title: String
  ) throws {
    let planner = try Fixtures.planner(catalog: Fixtures.shipped("wellness"))
    var player = Player(planner: planner, now: try utc("2026-03-02 08:00"))
    try player.take("recipient.updated", ["name": "Amina"])
    let group: JSONValue = ["encouragement": ["personalized": .bool(isPersonal)]]
    try player.take("preferences.updated", ["reminders": group])
    player.advance(to: try utc("2026-03-02 10:00"))
    #expect(player.entries.first { $0.reminder == "motivation-daily" }?.title == title)
  }

  @Test(arguments: [
    ("trial-ending", "Your Spotify trial ends in 3 days"),
    ("trial-ending-tomorrow", "Your Spotify trial ends tomorrow"),
    ("trial-ending-today", "Your Spotify trial ends today, 2026-03-10 at 16:00"),
  ])
  func `G3: a trial's text names the time until its end`(reminder: String, text: String) throws {
    let planner = try Fixtures.planner(
      catalog: Fixtures.shipped("trials"), defaultZone: "America/New_York")
    var player = Player(planner: planner, now: try utc("2026-03-02 20:00"))
    try player.take(
      "trial.started", ["trial": "1", "name": "Spotify", "ends": "2026-03-10T20:00:00Z"])
    player.advance(to: try utc("2026-03-11 00:00"))
    #expect(player.entries.first { $0.reminder == reminder }?.body == text)
  }
}
