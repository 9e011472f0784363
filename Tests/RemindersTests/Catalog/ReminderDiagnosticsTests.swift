import Reminders
import Testing

/// Invalid reminders are rejected.
@Suite struct ReminderDiagnosticsTests {
  @Test(arguments: [
    (
      "category: NOTE", "category: NOT",
      "8:15: the category \"NOT\" is not declared; did you mean \"NOTE\"?"
    ),
    ("group: notes", "group: other", "9:12: the group \"other\" is not declared (declared: notes)"),
    (
      ValidCatalog.every, "every: {week: {on: [mno], at: $time}}",
      "10:25: \"mno\" is not a day; did you mean \"mon\"?"
    ),
    (
      ValidCatalog.every, "every: {week: {on: $time, at: $time}}",
      "10:24: $time is not a list of days"
    ),
    (ValidCatalog.every, "every: {week: {at: $time}}", "10:19: \"week\" needs \"on\""),
    (
      ValidCatalog.every, "every: {}",
      "10:12: \"every\" needs one of \"day\", \"week\", \"month\", \"year\" and \"plan\""
    ),
    (
      ValidCatalog.every, ValidCatalog.every + "\n    until: relaps",
      "11:12: \"relaps\" is not an event; did you mean \"relapse\"?"
    ),
    (
      ValidCatalog.every, ValidCatalog.every + "\n    pause: {event: relapse}",
      "11:12: \"pause\" needs \"days\""
    ),
    (
      ValidCatalog.every, ValidCatalog.every + "\n    pause: {event: relapse, days: 4000}",
      "11:12: \"days\" must be from 0 to 3650"
    ),
    (
      ValidCatalog.every, ValidCatalog.every + "\n    after: {event: relapse, next: $time}",
      "8:5: the reminder \"note\" has the triggers \"every\" and \"after\", and only one is "
        + "allowed; keep \"every\" and move the others to reminders of their own"
    ),
  ])
  func `an invalid calendar reminder is reported`(
    right: String, wrong: String, diagnostics: String
  ) {
    ValidCatalog.expect(right, wrong, diagnostics)
  }

  @Test(arguments: [
    (
      "after: {event: lesson.complete, delay: 24h}",
      "10:20: \"lesson.complete\" is not an event; did you mean \"lesson.completed\"?"
    ),
    (
      "after: {event: relapse}",
      "10:12: \"after\" needs one of \"delay\", \"next\", \"at\" and \"days\""
    ),
    (
      "after: {event: relapse, delay: 1h, next: $time}",
      "10:12: \"after\" needs one of \"delay\", \"next\", \"at\" and \"days\""
    ),
    (
      "after: {event: relapse, delay: -1h}",
      "10:36: delay must be a duration such as 30m, 12h or 3d"
    ),
    (
      "after: {event: lesson.completed, highest: days, delay: 1h}",
      "10:47: \"days\" is not a number that the event carries; did you mean \"day\"?"
    ),
    (
      "after: {event: lesson.completed, highest: day, delay: 1h}\n    while: {day: {below: x}}",
      "11:26: below must be a whole number; it is \"x\""
    ),
    (
      "after: {event: relapse, delay: 1h}\n    cancel: [lesson.completed, streak.start]",
      "11:32: \"streak.start\" is not an event; did you mean \"streak.started\"?"
    ),
    (
      "on: {event: milestone.reached, delay: 1s, since: relapse}",
      "8:5: the name of a milestone reminder must contain {days}"
    ),
  ])
  func `an invalid reminder with an event trigger is reported`(wrong: String, diagnostics: String) {
    ValidCatalog.expect(ValidCatalog.every, wrong, diagnostics)
  }

  @Test func `each milestone is checked`() {
    let text = ValidCatalog.text.replacing("note:", with: "\"note-{days}\":").replacing(
      ValidCatalog.every,
      with: """
        on: {event: milestone.reached, delay: 1s, since: [streak.started, relapse]}
            milestones:
              seven: {name: a, meaning: b}
              7: {name: a}
              0: {name: a, meaning: b}
              8: {name: a, meaning: b, day: c}
        """)
    ValidCatalog.expect(
      text,
      """
      test.yaml:12:14: "seven" is not a number of days
      test.yaml:13:10: a milestone needs "meaning"
      test.yaml:14:10: "0" is not a number of days
      test.yaml:15:32: a milestone has no "day" (known: name, meaning, locales)
      """)
  }

  /// A key that would be ignored and a reminder that could never be sent are each reported once.
  @Test(arguments: [
    ("{push: true}", "{}", 3), ("enabled: true", "enabled: 12", 5),
    ("enabled: true", "enabled: \"21:00\"", 5), ("count: 3", "count: 200000", 5),
    ("  NOTE: {", "  '': {title: a, channels: {push: true}}\n  NOTE: {", 3),
    (ValidCatalog.every, ValidCatalog.every + "\n    cancel: relapse", 11),
    (ValidCatalog.every, ValidCatalog.every + "\n    while: {day: {below: 3}}", 11),
    (ValidCatalog.every, ValidCatalog.every + "\n    milestones: {7: {name: a, meaning: b}}", 11),
    (ValidCatalog.every, "after: {event: relapse, delay: 1h}\n    until: relapse", 11),
    (
      ValidCatalog.every,
      "after: {event: relapse, delay: 1h}\n    pause: {event: relapse, days: 1}", 11
    ),
    (
      ValidCatalog.every,
      "after: {event: lesson.completed, delay: 1h}\n    while: {day: {below: 3}}", 11
    ),
  ])
  func `an ineffective declaration is rejected`(right: String, wrong: String, line: Int) {
    let text = ValidCatalog.text.replacing(right, with: wrong)
    #expect(Self.refusedLines(of: text) == [line])
  }

  private static func refusedLines(of text: String) -> [Int] {
    do {
      _ = try Fixtures.read(text)
      return []
    } catch {
      return (error as? CatalogErrors)?.diagnostics.map(\.line) ?? []
    }
  }
}
