import JSON
import Reminders
import Testing

/// Rules T5 and T10: a catalog may change in any way, by a reload or between two starts.
@Suite struct CatalogChangeTests {
  @Test func `T5: a held occurrence of a removed reminder is never due`() throws {
    var player = Player(
      planner: try Fixtures.planner(catalog: Fixtures.noteCatalog()),
      now: try utc("2026-03-02 09:00"))
    try player.take(
      "preferences.updated",
      ["quietHours": ["enabled": true, "start": "11:00", "end": "13:00"]])
    player.advance(to: try utc("2026-03-02 12:30"))
    #expect(player.recipient.progress.inProgress.count == 1)
    // The service was stopped, and starts with another catalog.
    let plannerWithoutNote = try Fixtures.planner(catalog: Fixtures.noteCatalog(reminder: "other"))
    var recipient = player.recipient
    let now = try utc("2026-03-02 14:00")
    let schedule = recipient.fire(now: now, planner: plannerWithoutNote).schedule
    #expect(try #require(schedule.due) > now)
  }

  @Test func `T5: a reminder may change its kind of trigger`() throws {
    let daily = Fixtures.noteCatalog()
    let once = daily.replacing(
      "every: {week: {on: $days, at: $time}}", with: "after: {event: relapse, delay: 1h}")
    try Diary.expect(
      """
      2026-03-02 09:00  relapse
      2026-03-02 10:00  > note
      2026-03-02 11:00  catalog daily
      2026-03-02 12:00  > note
      2026-03-03 12:00  > note
      2026-03-03 13:00  relapse
      2026-03-03 13:30  catalog once
      2026-03-03 14:00  > note
      2026-03-03 15:00  catalog daily
      2026-03-04 12:00  > note
      2026-03-04 13:00  end
      """, catalog: once, alternatives: ["daily": daily, "once": once])
  }

  // MARK: - Renamed reminders

  /// The catalog of the reminder "note", renamed to "other".
  private static let renamedCatalog = Fixtures.noteCatalog(reminder: "other").replacing(
    "expires: 12h", with: "expires: 12h\n    was: note")

  @Test func `T10: a renamed reminder continues held occurrences`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  quiet 11:00 13:00
      2026-03-02 12:30  catalog renamed
      2026-03-02 13:00  > other of 2026-03-02 12:00 (quiet_hours)
      2026-03-03 13:00  > other of 2026-03-03 12:00 (quiet_hours)
      2026-03-03 14:00  end
      """, catalog: Fixtures.noteCatalog(), alternatives: ["renamed": Self.renamedCatalog])
  }

  @Test func `T10: a renamed reminder does not repeat delivered occurrences`() throws {
    let once = Fixtures.noteCatalog()
      .replacing(
        "every: {week: {on: $days, at: $time}}", with: "after: {event: relapse, delay: 1h}")
    let renamed = Self.renamedCatalog
      .replacing(
        "every: {week: {on: $days, at: $time}}", with: "after: {event: relapse, delay: 2h}")
    try Diary.expect(
      """
      2026-03-02 09:00  relapse
      2026-03-02 10:00  > note
      2026-03-02 10:30  catalog renamed
      2026-03-02 20:00  relapse
      2026-03-02 22:00  > other
      2026-03-03 14:00  end
      """, catalog: once, alternatives: ["renamed": renamed])
  }

  @Test func `T10: a renamed reminder keeps cancelled occurrences and ended series`() throws {
    try Diary.expect(
      """
      2026-03-02 08:00  created
      2026-03-02 09:00  cancel note
      2026-03-02 10:00  catalog renamed
      2026-03-03 12:00  > other
      2026-03-03 14:00  catalog noon
      2026-03-04 12:00  > note
      2026-03-04 13:00  stop note
      2026-03-04 14:00  catalog renamed
      2026-03-06 13:00  renew note
      2026-03-07 12:00  > other
      2026-03-07 13:00  end
      """, catalog: Fixtures.noteCatalog(),
      alternatives: ["renamed": Self.renamedCatalog, "noon": Fixtures.noteCatalog()])
  }

  @Test(arguments: [
    ("was: note", "\"note\" is a declared reminder; \"was\" must name a removed one"),
    ("was: [old, old]", "\"old\" is the former name of two reminders; name it once"),
    ("was: []", "\"was\" must be a former name of the reminder, or a list of such names"),
  ])
  func `T10: an invalid former name is rejected`(was: String, message: String) throws {
    let text = Fixtures.noteCatalog().replacing("expires: 12h", with: "expires: 12h\n    \(was)")
    let error = #expect(throws: CatalogErrors.self) {
      try Catalog(reading: [CatalogSource(file: "test.yaml", text: text)])
    }
    #expect(error?.description.contains(message) == true)
  }

  @Test func `T10: repetitions follow their reminder's former name`() throws {
    let text = Fixtures.noteCatalog().replacing(
      "expires: 12h", with: "expires: 12h\n    was: old\n    again: {every: 1h, times: 2}")
    let catalog = try Catalog(reading: [CatalogSource(file: "test.yaml", text: text)])
    for suffix in ["", "+1", "+2"] {
      let reminder = try #require(catalog.reminder(Symbol("old" + suffix)))
      #expect(reminder.identifier == "note" + suffix)
    }
  }

  @Test func `T5: a reminder plans nothing if a stored value does not fit its parameter`() throws {
    let counted = Fixtures.noteCatalog()
      .replacing("days: [mon, tue, wed, thu, fri, sat, sun]", with: "days: 128")
      .replacing("every: {week: {on: $days, at: $time}}", with: "every: {day: {at: $time}}")
    try Diary.expect(
      """
      2026-03-02 09:00  prefs {"reminders":{"notes":{"days":128}}}
      2026-03-02 12:00  > note
      2026-03-02 13:00  catalog days
      2026-03-04 13:00  end
      """, catalog: counted, alternatives: ["days": Fixtures.noteCatalog()])
  }
}
