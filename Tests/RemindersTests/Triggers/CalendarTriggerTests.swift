import Testing

/// Rule G1: times of day, days of the week and month, and parameters.
@Suite struct CalendarTriggerTests {
  @Test func `G1: each of several times a day goes out once`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  created
      2026-03-02 08:00  > dose
      2026-03-02 20:00  > dose
      2026-03-03 08:00  > dose
      2026-03-03 09:00  restart
      2026-03-03 09:00  prefs {"reminders": {"notes": {"times": ["09:30", "14:00", "20:00"]}}}
      2026-03-03 09:30  > dose
      2026-03-03 14:00  > dose
      2026-03-03 14:30  fire
      2026-03-03 20:00  > dose
      2026-03-03 20:01  prefs {"reminders": {"notes": {"times": []}}}
      2026-03-05 00:00  end
      """,
      catalog: Fixtures.catalog(
        groups: "notes: {enabled: true, times: [\"08:00\", \"20:00\"]}",
        reminders: ["dose": "every: {day: {at: $times}}"]))
  }

  @Test func `G1: only the latest of several missed times is sent`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  created
      2026-03-02 20:30  jump
      2026-03-02 20:30  x dose of 2026-03-02 08:00 (missed)
      2026-03-02 20:30  > dose of 2026-03-02 20:00
      2026-03-02 21:00  end
      """,
      catalog: Fixtures.catalog(
        reminders: ["dose": "every: {day: {at: [\"08:00\", \"20:00\"]}}"]))
  }

  @Test func `T2: times in a gap are sent once and together, times in a fold only once`() throws {
    // 02:00 becomes 03:00 on 2026-03-29 in Berlin, and 03:00 becomes 02:00 on 2026-10-25.
    let catalog = Fixtures.catalog(
      reminders: ["dose": "every: {day: {at: [\"02:10\", \"02:40\", \"12:00\"]}}"])
    try Diary.expect(
      """
      2026-03-28 12:00  zone Europe/Berlin
      2026-03-29 01:00  > dose
      2026-03-29 10:00  > dose
      2026-03-29 11:00  end
      """, catalog: catalog)
    try Diary.expect(
      """
      2026-10-24 12:00  zone Europe/Berlin
      2026-10-25 00:10  > dose
      2026-10-25 00:40  > dose
      2026-10-25 11:00  > dose
      2026-10-25 12:00  end
      """, catalog: catalog)
  }

  @Test func `G2: times are spread evenly between two other times`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  created
      2026-03-02 12:00  > snack
      2026-03-02 16:00  > snack
      2026-03-02 16:30  set dinner 17:00
      2026-03-03 11:00  > snack
      2026-03-03 14:00  > snack
      2026-03-03 14:30  prefs {"reminders": {"snacks": {"frequency": 1}}}
      2026-03-04 12:30  > snack
      2026-03-04 13:00  end
      """,
      catalog: Fixtures.catalog(
        groups: """
          breakfast: {enabled: true, time: "08:00"}
          dinner: {enabled: true, time: "20:00"}
          snacks: {enabled: true, frequency: {number: [1, 6], initial: 2}}
          """,
        reminders: [
          "snack": """
          group: snacks, \
          every: {day: {spread: $frequency, from: $breakfast.time, to: $dinner.time}}
          """
        ]))
  }

  @Test func `G1: a reminder goes out on days of the month and on its last day`() throws {
    try Diary.expect(
      """
      2026-01-29 12:00  created
      2026-01-30 09:00  > thirty
      2026-01-31 09:00  > last
      2026-02-01 09:00  > first
      2026-02-28 09:00  > last
      2026-02-28 09:00  > thirty
      2026-03-01 09:00  > first
      2026-03-29 12:00  end
      """,
      catalog: Fixtures.catalog(reminders: [
        "first": "every: {month: {on: 1, at: \"09:00\"}}",
        "last": "every: {month: {on: [last], at: \"09:00\"}}",
        "thirty": "every: {month: {on: [30], at: \"09:00\"}}",
      ]))
  }

  @Test func `G1: an offset in hours is elapsed time, even across a change of clocks`() throws {
    // 02:00 becomes 03:00 on 2026-03-29 in Berlin: 01:30 there is 00:30 UTC, two hours before 02:30
    // UTC.
    try Diary.expect(
      """
      2026-03-28 12:00  zone Europe/Berlin
      2026-03-29 00:30  > base
      2026-03-29 02:30  > later
      2026-03-29 23:30  > base
      2026-03-30 01:30  > later
      2026-03-30 02:00  end
      """,
      catalog: Fixtures.catalog(reminders: [
        "base": "every: {day: {at: \"01:30\"}}",
        "later": "every: {day: {at: \"01:30\", after: 2h}}",
      ]))
  }

  @Test func `all groups of a reminder must be on; the last group's time applies`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  created
      2026-03-02 08:00  > breakfast
      2026-03-02 09:00  off meals
      2026-03-03 09:00  on meals
      2026-03-03 09:00  off morning
      2026-03-04 09:00  on morning
      2026-03-05 08:00  > breakfast
      2026-03-05 09:00  end
      """,
      catalog: Fixtures.catalog(
        groups: """
          meals: {enabled: true, time: "12:00"}
          morning: {enabled: true, time: "08:00"}
          """,
        reminders: ["breakfast": "group: [meals, morning], every: {day: {at: $time}}"]))
  }

  @Test func `a condition on a parameter follows its changes`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  created
      2026-03-02 08:00  > daily
      2026-03-02 09:00  prefs {"reminders": {"notes": {"frequency": "weekly"}}}
      2026-03-09 08:00  > weekly
      2026-03-09 09:00  prefs {"reminders": {"notes": {"frequency": "smart"}}}
      2026-03-10 08:00  > daily
      2026-03-10 09:00  end
      """,
      catalog: Fixtures.catalog(
        groups: "notes: {enabled: true, frequency: {choice: [daily, weekly, smart]}}",
        reminders: [
          "daily": "when: {frequency: [daily, smart]}, every: {day: {at: \"08:00\"}}",
          "weekly": "when: {frequency: weekly}, every: {week: {on: [mon], at: \"08:00\"}}",
        ]))
  }

  @Test func `M3: without data a smart time is the declared time`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  created
      2026-03-02 08:00  > note
      2026-03-02 09:00  end
      """,
      catalog: Fixtures.catalog(reminders: [
        "note": "every: {day: {at: \"08:00\"}}, smart: true"
      ]))
  }
}
