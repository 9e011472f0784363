import Reminders
import Testing

/// A fault in a catalog is reported with its location and, if possible, the probably intended word.
@Suite struct CatalogDiagnosticsTests {
  @Test func `a valid catalog is read`() throws {
    #expect(try Fixtures.read(ValidCatalog.text).reminders.map(\.identifier) == ["note"])
  }

  @Test(arguments: [
    ("", "test.yaml: the file is empty"),
    ("# nothing\n", "test.yaml: the file is empty"),
    (
      "- a\n",
      "test.yaml:1:1: a catalog must be a mapping; it is a list: write key: value, without \"- \" "
        + "and […]"
    ),
    (
      "catalog: x\n\tgroups: y\n",
      "test.yaml:2:1: a tab indents this line; YAML permits only spaces: replace it with spaces"
    ),
    (
      "catalog: [a\n",
      "test.yaml:1:10: this bracket is never closed; add \"]\" after its last part"
    ),
    (
      "catalog: *x\n",
      "test.yaml:1:10: a text that begins with * needs quotation marks: write \"*x\""
    ),
    (
      "catalog: a\ncatalog: b\n",
      "test.yaml:1:1: \"catalog\" is given twice, again in line 2; remove one of them"
    ),
    (
      "catalog: a\n",
      """
      test.yaml:1:1: a catalog needs "categories"
      test.yaml:1:1: a catalog needs "reminders"
      """
    ),
  ])
  func `a file that is not a catalog is refused`(text: String, diagnostics: String) {
    ValidCatalog.expect(text, diagnostics)
  }

  @Test(arguments: [
    (
      "groups:", "gruops:",
      """
      4:1: a catalog has no "gruops"; did you mean "groups"? \
      (known: catalog, language, events, roles, categories, groups, presets, reminders, titles, \
      digest, defaults, policies)
      test.yaml:9:12: the group "notes" is not declared
      """
    ),
    (
      "urgency: normal", "urgencey: normal",
      """
      3:24: the category "NOTE" has no "urgencey"; did you mean "urgency"? \
      (known: title, description, urgency, channels, fallback, confirm, locked, quiet, overCap, \
      vacation, actions, reachable, withdraw, discreet)
      """
    ),
    (
      "expires: 12h", "expires: 12h\n    repeat: 2",
      """
      12:5: the reminder "note" has no "repeat"; did you mean "repeats"? \
      (known: category, group, when, expires, every, until, from, pause, smart, skip, having, \
      unless, dayBegins, after, while, cancel, before, idle, on, milestones, again, escalate, \
      channels, urgency, topics, messages, actions, withdraw, opens, replacedBy, past, since, \
      where, upcoming, to, named, flags, repeats, early, was, late)
      """
    ),
    ("title: Notes, ", "", "3:9: the category \"NOTE\" needs \"title\""),
    (
      "enabled: true, ", "count: 1, ",
      "5:11: \"count\" is given twice, again in line 5; remove one of them"
    ),
    ("    expires: 12h\n", "", "8:5: the reminder \"note\" needs \"expires\""),
  ])
  func `unknown, missing and repeated keys are reported`(
    right: String, wrong: String, diagnostics: String
  ) {
    ValidCatalog.expect(right, wrong, diagnostics)
  }

  @Test(arguments: [
    (
      "catalog: notes", "catalog: [a]",
      "1:10: catalog must be a text; it is a list: put the whole text in quotation marks"
    ),
    (
      "title: Notes", "title: ''",
      "3:17: title must be a text; it is empty: a text that begins with # or ! needs "
        + "quotation marks"
    ),
    (
      "urgency: normal", "urgency: urgent",
      "3:33: \"urgent\" is not an urgency (known: low, normal, high, critical, mandatory)"
    ),
    ("{push: true}", "{push: maybe}", "3:58: a channel must be true or false; it is \"maybe\""),
    (
      "{push: true}", "[push]",
      "3:51: channels must be a mapping of names; it is a list: write key: value, without "
        + "\"- \" and […]"
    ),
    (
      "count: 3", "count: 3.5",
      "5:66: must be true or false, a time \"21:00\", a list of days, a whole number or "
        + "a duration 2h; it is \"3.5\""
    ),
    (
      "count: 3", "count: -3",
      "5:66: must be true or false, a time \"21:00\", a list of days, a whole number or "
        + "a duration 2h; it is \"-3\""
    ),
    ("[mon, tue]", "[mon, teu]", "5:53: \"teu\" is not a day; did you mean \"thu\"?"),
    (
      "expires: 12h", "expires: 12",
      "11:14: expires must be a duration such as 30m, 12h or 3d; 12 lacks a unit"
    ),
    (
      "$time", "noon",
      "10:23: must be a time of day such as \"21:00\", or $name for a group's parameter; "
        + "it is \"noon\"; did you mean \"12:00\"?"
    ),
    ("$time", "$days", "10:23: $days is not a time of day"),
  ])
  func `wrong values are reported`(right: String, wrong: String, diagnostics: String) {
    ValidCatalog.expect(right, wrong, diagnostics)
  }

  @Test func `all faults of several files are reported at once`() throws {
    let sources = [
      CatalogSource(
        file: "one.yaml",
        text: ValidCatalog.text.replacing("normal", with: "urgent").replacing("12h", with: "soon")),
      CatalogSource(
        file: "two.yaml",
        text: ValidCatalog.text.replacing("NOTE", with: "TWO").replacing("note", with: "two")
          .replacing("count: 3", with: "count: x")),
    ]
    let error = #expect(throws: CatalogErrors.self) { try Catalog(reading: sources) }
    #expect(
      error?.description == """
        one.yaml:3:33: "urgent" is not an urgency (known: low, normal, high, critical, mandatory)
        one.yaml:11:14: expires must be a duration such as 30m, 12h or 3d
        two.yaml:5:65: must be true or false, a time "21:00", a list of days, a whole number \
        or a duration 2h; it is "x"
        """)
  }

  @Test func `a reminder that is declared twice is rejected`() {
    let sources = ["one.yaml", "two.yaml"].map { CatalogSource(file: $0, text: ValidCatalog.text) }
    let error = #expect(throws: CatalogErrors.self) { try Catalog(reading: sources) }
    #expect(
      error?.description
        == "two.yaml:8:5: the reminder \"note\" is declared twice, or its hash is taken; rename it")
  }

  @Test func `for a catalog that is loaded twice, only that fault is reported`() throws {
    let source = CatalogSource(file: "one.yaml", text: try Fixtures.shipped("imanpath"))
    let errors = #expect(throws: CatalogErrors.self) { try Catalog(reading: [source, source]) }
    #expect(
      errors?.description == "one.yaml: this catalog is named more than once; name it once")
  }
}
