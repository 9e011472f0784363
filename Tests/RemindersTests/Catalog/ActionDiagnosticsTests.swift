import Reminders
import Testing

/// Invalid actions are reported with their positions.
@Suite struct ActionDiagnosticsTests {
  private static let every = ValidCatalog.every

  @Test(arguments: [
    (
      "a: {title: A, event: checkin.complete}",
      "11:36: \"checkin.complete\" is not an event; did you mean \"checkin.completed\"?; an action "
        + "reports an event that is marked from: recipient"
    ),
    (
      "a: {title: A, event: recipient.deleted}",
      "11:36: a recipient may not report \"recipient.deleted\"; mark the event with from: "
        + "recipient, or name another"
    ),
    (
      "a: {title: A, event: lesson.completed}",
      "11:36: \"lesson.completed\" needs the field \"day\", which the event of the reminder does "
        + "not have with this kind; name an event without it"
    ),
    (
      "a: {title: A, event: relapse, snooze: 5m}",
      "11:15: the action \"a\" needs exactly one of \"event\", \"snooze\" and \"set\""
    ),
    (
      "a: {title: A}",
      "11:15: the action \"a\" needs exactly one of \"event\", \"snooze\" and \"set\""
    ),
    ("a: {event: relapse}", "11:15: the action \"a\" needs \"title\""),
    ("a: {snooze: 5s}", "11:27: snooze must be from 1m to 30d; it is 5s"),
    ("a: {snooze: 31d}", "11:27: snooze must be from 1m to 30d; it is 31d"),
    (
      "a: {snooze: 5m, undo: relapse}",
      "11:37: \"undo\" needs \"event\"; a snooze and a change are undone without it"
    ),
    (
      "a: {title: {de: A}, event: relapse}",
      "11:26: the title needs a text in en, the language of the catalog"
    ),
    (
      "a: {title: {e: A, en: B}, event: relapse}",
      "11:27: a key of \"title\" must be a language such as de or pt-BR; it is \"e\""
    ),
    (
      "a: {title: \(String(repeating: "x", count: 41)), event: relapse}",
      "11:26: the title of an action must have at most 40 characters, on one line"
    ),
    (
      "a: {title: A, set: {reminders.note.enabled: false}}",
      "11:35: \"reminders.note.enabled\" is not a preference; did you mean "
        + "\"reminders.notes.enabled\"?"
    ),
    (
      "a: {title: A, set: {reminders.notes.enabled: maybe}}",
      "11:60: \"reminders.notes.enabled\" must be true or false; it is a string"
    ),
    (
      "a: {title: A, set: {}}",
      "11:34: set must be a mapping of preferences, such as {reminders.meals.enabled: false}"
    ),
    (
      "\"a b\": {snooze: 5m}",
      "11:15: the name of an action must have 1 to 32 letters, digits, - or _ of ASCII; the title "
        + "may have others"
    ),
    (
      "a: {snooze: 1m}, b: {snooze: 1m}, c: {snooze: 1m}, d: {snooze: 1m}, e: {snooze: 1m}",
      "11:14: actions has 5 entries; a notification shows at most 4"
    ),
  ])
  func `G13: an invalid action is reported with its position`(action: String, diagnostics: String) {
    ValidCatalog.expect(
      Self.every, "\(Self.every)\n    actions: {\(action)}", diagnostics)
  }

  @Test func `G13: an invalid action of a category is reported once`() {
    ValidCatalog.expect(
      "channels: {push: true}}",
      "channels: {push: true}, actions: {a: {title: A, event: relaps}}}",
      "3:96: \"relaps\" is not an event; did you mean \"relapse\"?; an action reports an event "
        + "that is marked from: recipient")
  }

  @Test func `G13: an action that would switch off a locked category is refused`() {
    ValidCatalog.expect(
      "channels: {push: true}}",
      "locked: true, channels: {push: true}, actions: {a: {title: A, set: "
        + "{categories.NOTE.push: false}}}}",
      "3:109: \"categories.NOTE.push\" belongs to a locked category, which is always on; remove it")
  }
}
