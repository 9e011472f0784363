import Reminders
import Testing

/// A fault in events, groups or triggers is reported once, with its location and the intended word.
@Suite struct TriggerDiagnosticsTests {
  private static let text = """
    catalog: notes
    events: {booked: {visit: identifier, at: instant, place: text?}, cancelled: {visit: identifier}}
    categories:
      NOTE: {title: Notes, urgency: normal, channels: {push: true, email: false}}
    groups:
      meals: {enabled: true, skipWeekends: false}
      notes: {enabled: true, times: ["08:00"], advance: [24, 2], kind: {choice: [once, repeat]}}
    reminders:
      note:
        category: NOTE
        group: notes
        before: {event: booked, at: at, by: $advance}
        expires: 12h
        messages: [{title: Note, body: A note.}]
    """
  private static let before = "before: {event: booked, at: at, by: $advance}"

  @Test(arguments: [
    (
      "place: text?", "place: txt",
      "2:58: \"txt\" is not a kind of field; did you mean \"text\"? (known: "
        + "identifier, instant, date, text, number, flag, person, place, preview, recipient, plan, "
        + "{number: [1, 30], "
        + "keep: highest}, {list: {PHOTO: [a photo, photos]}})"
    ),
    ("identifier, at", "identifier?, at", "2:26: an identifier cannot be optional"),
    (
      "at: instant", "at: identifier",
      "2:10: the event \"booked\" has two identifiers; at most one is allowed"
    ),
    (
      "cancelled: {visit: identifier}", "relapse: {day: number}",
      "2:66: the event \"relapse\" is built in with other data; rename it"
    ),
    (
      "push: true", "psh: true",
      "4:52: \"psh\" is not a channel; did you mean \"push\"? (known: push, email, "
        + "sms, inapp)"
    ),
    (
      "urgency: normal", "urgency: nromal",
      "4:33: \"nromal\" is not an urgency; did you mean \"normal\"? (known: low, "
        + "normal, high, critical, mandatory)"
    ),
    (
      "[24, 2]", "[24, 2000]",
      "7:53: must be a list of at most 6 whole numbers from 0 to 1439, such as [24, 2]"
    ),
    (
      "[24, 2]", "[]",
      "7:53: the kind of an empty list is unknown; write {days: []} or {times: []}"
    ),
    ("[once, repeat]", "[once]", "7:77: \"choice\" must be a list of 2 to 64 different words"),
    (
      "group: notes", "group: [meals, note]",
      "11:20: the group \"note\" is not declared; did you mean \"notes\"?"
    ),
  ])
  func `a wrong declaration is reported`(right: String, wrong: String, diagnostics: String) {
    let all = Self.diagnostics(Self.text.replacing(right, with: wrong))
    #expect(all.contains("test.yaml:" + diagnostics), "\(all)")
  }

  @Test(arguments: [
    (
      "before: {event: booked, at: ta, by: 2h}",
      "12:33: \"ta\" is not an instant or a date that booked carries; did you mean \"at\"? "
        + "(known: at)"
    ),
    (
      "before: {event: booked, at: at}",
      "12:13: \"before\" needs one of \"by\", \"days\" and \"weeks\""
    ),
    ("before: {event: booked, at: at, days: 1}", "12:13: \"days\" needs \"time\""),
    (
      "before: {event: booked, at: at, by: $advnce}",
      "12:41: the group \"notes\" has no parameter $advnce; did you mean \"$advance\"?"
    ),
    (
      "before: {event: booked, at: at, by: $times}",
      "12:41: $times is not a whole number or a list of them"
    ),
    ("on: {event: bookd, delay: 1s}", "12:17: \"bookd\" is not an event; did you mean \"booked\"?"),
    ("on: {event: booked}", "12:9: \"on\" needs one of \"delay\", \"next\", \"at\" and \"days\""),
    ("idle: {event: booked, days: 0.5}", "12:33: days must be a whole number from 0 to 3650"),
    (
      "idle: {event: booked, days: 3, times: [2, 1]}",
      "12:43: \"times\" must be a list of ascending whole numbers such as [1, 2, 4]"
    ),
    (
      "idle: {event: booked, days: 3, channels: [push, email]}",
      "12:46: \"channels\" must give a channel or a list of them for each of \"times\""
    ),
    (
      "every: {month: {on: [lst], at: \"09:00\"}}",
      "12:26: \"lst\" is not a day of the month; use 1 to 31, last, "
        + "or an ordinal and a weekday such as \"first mon\"; did you mean "
        + "\"last\"?"
    ),
    (
      "every: {day: {at: $times}}\n    smart: true",
      "13:12: \"smart\" needs exactly one time of day"
    ),
    (
      "every: {day: {at: $time}}",
      "12:23: the group \"notes\" has no parameter $time; did you mean \"$times\"?"
    ),
    (
      "every: {day: {at: $meal.time}}",
      "12:23: the group \"meal\" is not declared; did you mean \"meals\"?"
    ),
    (
      before + "\n    when: {kind: repaet}",
      "13:18: \"repaet\" is not among once, repeat; did you mean \"repeat\"?"
    ),
    (
      before + "\n    when: {knid: once}",
      "13:12: the group \"notes\" has no parameter \"knid\"; did you mean \"kind\"?"
    ),
    (before + "\n    channels: [push, sms]", "13:22: the category \"NOTE\" has no channel sms"),
    (
      before + "\n    skip: {weekend: true}",
      "13:12: \"skip\" has no \"weekend\"; did you mean \"weekends\"? (known: "
        + "weekends, holidays, days, move)"
    ),
    (before + "\n    having: {event: booked}", "13:13: \"having\" needs \"within\""),
    (
      before + "\n    again: {every: 1h, times: 30}",
      "13:12: \"again\" needs \"times\" from 1 to 24, and \"every\" above 0 and at most 7d"
    ),
    (
      before + "\n    repeats: note",
      "13:14: no reminder \"note\" is declared before this one"
    ),
    (
      before + "\n    early: 30s",
      "13:12: early must be between 1m and 12h; it is 30s"
    ),
    (
      before + "\n    early: 13h",
      "13:12: early must be between 1m and 12h; it is 13h"
    ),
    (
      "past: {event: booked, at: at, by: $advance}\n    early: 15m",
      "13:12: \"early\" needs \"before\""
    ),
    (
      before + "\n    pause: {event: relapse, days: 1}",
      "13:12: \"pause\" cannot be used with \"before\""
    ),
  ])
  func `a wrong trigger or condition is reported`(wrong: String, diagnostics: String) {
    #expect(
      Self.diagnostics(Self.text.replacing(Self.before, with: wrong))
        == ["test.yaml:" + diagnostics])
  }

  @Test func `a wrong message is not also reported as missing`() {
    let text = Self.text.replacing("body: A note.", with: "body: \"{{plce}}\"")
    #expect(
      Self.diagnostics(text) == [
        """
        test.yaml:14:36: {{plce}} is unknown here; known: {{at}}, {{at.date}}, \
        {{at.hebrew}}, {{at.islamic-umalqura}}, {{at.longDate}}, {{at.persian}}, {{at.since}}, \
        {{at.time}}, {{at.until}}, {{at.weekday}}, {{hours}}, {{passed}}, {{place}}, \
        {{recipient.name}}, {{until}}, {{visit}}
        """
      ])
  }

  @Test func `all faults of a file are reported in order`() {
    let text = Self.text.replacing("text?", with: "txt").replacing("12h", with: "soon")
      .replacing("by: $advance", with: "by: $x").replacing("normal", with: "urgent")
    #expect(
      Self.diagnostics(text).map { $0.split(separator: ":")[1] } == ["2", "4", "12", "13"])
  }

  private static func diagnostics(_ text: String) -> [String] {
    do {
      _ = try Fixtures.read(text)
      return []
    } catch {
      return (error as? CatalogErrors)?.diagnostics.map(\.description) ?? ["\(error)"]
    }
  }
}
