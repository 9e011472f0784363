import JSON
import Testing

/// A dialysis clinic: sessions with transport, laboratory results, several reminders after missed
/// sessions, and carers, whose notifications pass the carers' own gates.
@Suite struct DialysisTests {
  private static let catalog = """
    catalog: dialysis
    events:
      session.booked:
        session: identifier
        at: instant
        pickup: instant?
        station: text?
        patient: text
        carer: recipient?
      session.started: {session: identifier, carer: recipient?}
      session.cancelled: {session: identifier, carer: recipient?}
      session.missed: {session: identifier, patient: text, carer: recipient?}
      session.rebooked: {session: identifier, carer: recipient?}
      lab.result: {result: identifier, test: text, value: number, patient: text, carer: recipient?}
      weight.logged: {from: recipient}
    categories:
      SESSION: {title: Sessions, urgency: high, channels: {push: true}}
      MISSED: {title: Missed sessions, urgency: high, channels: {push: true}}
      LAB: {title: Laboratory, urgency: critical, channels: {push: true}}
      ROUTINE: {title: Routine, channels: {push: true}}
      CARE: {title: About those I care for, urgency: high, channels: {push: true}}
    groups:
      sessions:
        enabled: true
        evening: "18:00"
        lead: {duration: [15m, 3h], initial: 45m}
      missed: {enabled: true, delay: 1h}
      labs: {enabled: true, limit: 5}
      weight: {enabled: true, hours: {number: [12, 96], initial: 36}}
      care: {enabled: true}
    reminders:
      session-eve:
        category: SESSION
        group: sessions
        every: {day: {at: $evening}}
        upcoming: {event: session.booked, at: at, within: 24h, cancel: session.cancelled}
        expires: 6h
        messages:
          - title: Dialysis tomorrow
            body: "{{at.longDate}} at {{at.time}}{{#station}}, station {{station}}{{/station}}"
            locales:
              de:
                title: Dialyse morgen
                body: "{{at.longDate}} um {{at.time}}{{#station}}, Platz {{station}}{{/station}}"
      transport:
        category: SESSION
        group: sessions
        before: {event: session.booked, at: pickup, by: $lead}
        where: {pickup: {given: true}}
        cancel: session.cancelled
        expires: 1h
        messages: [{title: "Pickup at {{pickup.time}}", body: Have your bag ready.}]
      session-late:
        category: SESSION
        group: sessions
        past: {event: session.booked, at: at, by: 30m}
        cancel: [session.started, session.cancelled]
        expires: 1h
        messages: [{title: Are you on your way?, body: "We expected you at {{at.time}}."}]
      care-late:
        to: carer
        category: CARE
        group: care
        past: {event: session.booked, at: at, by: 45m}
        cancel: [session.started, session.cancelled]
        expires: 6h
        messages: [{title: "{{patient}}", body: "The session of {{at.time}} has not begun."}]
      missed-call:
        category: MISSED
        group: missed
        on: {event: session.missed, delay: $delay}
        cancel: session.rebooked
        expires: 12h
        messages: [{title: We missed you, body: Please call for a new session.}]
      missed-next-day:
        category: MISSED
        group: missed
        on: {event: session.missed, days: 1, at: "09:00"}
        cancel: session.rebooked
        expires: 12h
        messages: [{title: Still without a session, body: Please call today.}]
      missed-often:
        category: MISSED
        group: missed
        on: {event: session.missed, delay: 2h}
        having: {event: session.missed, within: 14d, times: 2, per: any}
        expires: 12h
        messages: [{title: Let us talk, body: You missed several sessions.}]
      care-missed:
        to: carer
        category: CARE
        group: care
        on: {event: session.missed, at: "10:00"}
        cancel: session.rebooked
        expires: 12h
        messages: [{title: "{{patient}}", body: A session was missed.}]
      potassium-high:
        category: LAB
        group: labs
        on: {event: lab.result, delay: 1s}
        where: {test: K, value: {above: 5.5, atLeast: $limit}}
        expires: 1d
        messages:
          - title: Potassium is high
            body: "{{value}} mmol/l"
            locales: {de: {title: Kalium ist hoch, body: "{{value}} mmol/l"}}
      care-potassium:
        to: carer
        category: CARE
        group: care
        on: {event: lab.result, delay: 1s}
        where: {test: K, value: {above: 5.5}}
        expires: 1d
        messages: [{title: "{{patient}}", body: "Potassium is {{value}} mmol/l."}]
      lab-month:
        category: ROUTINE
        group: labs
        every: {month: {on: [first wed], at: "07:00"}}
        from: session.booked
        expires: 6h
        messages: [{title: Blood sample, body: Monthly values today.}]
      lab-quarter:
        category: ROUTINE
        group: labs
        every: {month: {on: [first wed], at: "06:30", step: 3}}
        since: "2026-01-01"
        from: session.booked
        expires: 6h
        messages: [{title: Come fasting, body: Quarterly values today.}]
      vaccination:
        category: ROUTINE
        group: labs
        every: {year: {on: ["10-01"], at: "09:00"}}
        from: session.booked
        expires: 6h
        messages: [{title: Flu season, body: Ask for your vaccination.}]
      weigh-in:
        category: ROUTINE
        group: weight
        idle: {event: weight.logged, hours: $hours}
        from: session.booked
        expires: 6h
        messages: [{title: "No weight for {{hours}} hours", body: Please step on the scale.}]
    """

  private static let berlin: JSONValue = ["timezone": "Europe/Berlin", "locale": "de"]
  private static let london: JSONValue = ["timezone": "Europe/London", "locale": "en-GB"]
  private static let quietHours: JSONValue = [
    "quietHours": ["enabled": true, "start": "22:00", "end": "08:00"]
  ]

  private static func session(
    _ name: String, _ at: String, _ extraMembers: JSONObject = [:]
  ) -> JSONValue {
    var data: JSONObject = [
      "session": .string(name), "at": .string("2026-\(at):00Z"), "patient": "Ute", "carer": "c",
    ]
    for member in extraMembers { data[member.key] = member.value }
    return .object(data)
  }

  private static func sessionReference(_ name: String) -> JSONValue {
    ["session": .string(name), "carer": "c"]
  }

  private static func missed(_ name: String) -> JSONValue {
    ["session": .string(name), "patient": "Ute", "carer": "c"]
  }

  private static func lab(_ name: String, _ test: String, _ value: Double) -> JSONValue {
    [
      "result": .string(name), "test": .string(test), "value": .number(value), "patient": "Ute",
      "carer": "c",
    ]
  }

  /// Clocks in Berlin and London go forward on 29 March: in UTC, Monday's session at 07:00 is an
  /// hour earlier than Friday's.
  @Test func `G1: half a year of a dialysis clinic`() throws {
    try Program.expect(
      Self.catalog,
      [
        ("p", "2026-03-25T08:00:00Z", "recipient.updated", Self.berlin),
        ("c", "2026-03-25T08:00:00Z", "recipient.updated", Self.london),
        ("c", "2026-03-25T08:00:00Z", "preferences.updated", Self.quietHours),
        (
          "p", "2026-03-25T09:00:00Z", "session.booked",
          Self.session("1", "03-27T06:00", ["pickup": "2026-03-27T05:15:00Z", "station": "4"])
        ),
        (
          "p", "2026-03-25T09:00:00Z", "session.booked",
          Self.session("2", "03-30T05:00", ["pickup": "2026-03-30T04:15:00Z"])
        ),
        ("p", "2026-03-25T09:00:00Z", "session.booked", Self.session("3", "04-01T05:00")),
        ("p", "2026-03-25T09:00:00Z", "session.booked", Self.session("4", "04-03T05:00")),
        ("p", "2026-03-27T06:10:00Z", "session.started", Self.sessionReference("1")),
        ("p", "2026-03-30T08:00:00Z", "session.missed", Self.missed("2")),
        ("p", "2026-03-30T10:00:00Z", "weight.logged", [:]),
        ("p", "2026-04-01T08:00:00Z", "session.missed", Self.missed("3")),
        ("p", "2026-04-01T08:30:00Z", "session.rebooked", Self.sessionReference("3")),
        ("p", "2026-04-01T08:40:00Z", "session.cancelled", Self.sessionReference("4")),
        ("p", "2026-04-01T12:00:00Z", "lab.result", Self.lab("r1", "K", 5.8)),
        ("p", "2026-04-01T12:00:00Z", "lab.result", Self.lab("r2", "Na", 139)),
        ("p", "2026-04-01T12:00:00Z", "lab.result", Self.lab("r3", "K", 5.5)),
      ], until: "2026-10-02T00:00:00Z",
      [
        // Thursday at 18:00, in winter time.
        "2026-03-26T17:00:00 p session-eve: Dialyse morgen | Freitag, 27. März 2026 um 07:00, "
          + "Platz 4",
        "2026-03-26T20:00:00 p weigh-in: No weight for 36 hours | Please step on the scale.",
        "2026-03-27T04:30:00 p transport: Pickup at 06:15 | Have your bag ready.",
        // Sunday at 18:00, in summer time.
        "2026-03-29T16:00:00 p session-eve: Dialyse morgen | Montag, 30. März 2026 um 07:00",
        "2026-03-30T03:30:00 p transport: Pickup at 06:15 | Have your bag ready.",
        "2026-03-30T05:30:00 p session-late: Are you on your way? | We expected you at 07:00.",
        // 06:45 in London, where quiet hours last until 08:00.
        "2026-03-30T07:00:00 c care-late: Ute | The session of 06:00 has not begun.",
        "2026-03-30T09:00:00 c care-missed: Ute | A session was missed.",
        "2026-03-30T09:00:00 p missed-call: We missed you | Please call for a new session.",
        "2026-03-31T07:00:00 p missed-next-day: Still without a session | Please call today.",
        "2026-03-31T16:00:00 p session-eve: Dialyse morgen | Mittwoch, 1. April 2026 um 07:00",
        "2026-03-31T22:00:00 p weigh-in: No weight for 36 hours | Please step on the scale.",
        "2026-04-01T04:30:00 p lab-quarter: Come fasting | Quarterly values today.",
        "2026-04-01T05:00:00 p lab-month: Blood sample | Monthly values today.",
        "2026-04-01T05:30:00 p session-late: Are you on your way? | We expected you at 07:00.",
        "2026-04-01T07:00:00 c care-late: Ute | The session of 06:00 has not begun.",
        "2026-04-01T10:00:00 p missed-often: Let us talk | You missed several sessions.",
        "2026-04-01T12:00:01 c care-potassium: Ute | Potassium is 5.8 mmol/l.",
        "2026-04-01T12:00:01 p potassium-high: Kalium ist hoch | 5,8 mmol/l",
        "2026-05-06T05:00:00 p lab-month: Blood sample | Monthly values today.",
        "2026-06-03T05:00:00 p lab-month: Blood sample | Monthly values today.",
        "2026-07-01T04:30:00 p lab-quarter: Come fasting | Quarterly values today.",
        "2026-07-01T05:00:00 p lab-month: Blood sample | Monthly values today.",
        "2026-08-05T05:00:00 p lab-month: Blood sample | Monthly values today.",
        "2026-09-02T05:00:00 p lab-month: Blood sample | Monthly values today.",
        "2026-10-01T07:00:00 p vaccination: Flu season | Ask for your vaccination.",
      ])
  }

  /// The previous carer gets no reminder, neither at the old time nor at the new time.
  @Test func `G5: a session's previous carer is not reminded`() throws {
    let moved = Self.session("1", "03-27T12:00", ["carer": "d"])
    try Program.expect(
      Self.catalog,
      [
        ("q", "2026-03-26T09:00:00Z", "session.booked", Self.session("1", "03-27T12:30")),
        ("p", "2026-03-27T09:00:00Z", "session.booked", Self.session("1", "03-27T11:00")),
        ("p", "2026-03-27T09:30:00Z", "session.booked", moved),
        ("p", "2026-03-27T12:05:00Z", "preferences.updated", ["master": false]),
        ("q", "2026-03-27T12:05:00Z", "preferences.updated", ["master": false]),
      ], until: "2026-03-27T20:00:00Z",
      [
        "2026-03-26T18:00:00 q session-eve: Dialysis tomorrow | Friday, 2026-03-27 at 12:30",
        "2026-03-27T12:45:00 d care-late: Ute | The session of 12:00 has not begun.",
        "2026-03-27T13:15:00 c care-late: Ute | The session of 12:30 has not begun.",
      ])
  }

  /// Two patients have the same carer, and both have a session "1".
  @Test func `G5: a carer's facts of two patients stay separate`() throws {
    let later = Self.session("1", "03-27T12:00", ["patient": "Max"])
    try Program.expect(
      Self.catalog,
      [
        ("c", "2026-03-25T08:00:00Z", "recipient.updated", Self.london),
        ("p", "2026-03-26T09:00:00Z", "session.booked", Self.session("1", "03-27T11:00")),
        ("q", "2026-03-26T09:00:00Z", "session.booked", later),
        // The carer has a session too, and is the carer of that session.
        ("c", "2026-03-26T09:00:00Z", "session.booked", Self.session("1", "03-27T13:00")),
        ("p", "2026-03-27T11:05:00Z", "session.started", Self.sessionReference("1")),
        ("p", "2026-03-27T11:06:00Z", "preferences.updated", ["master": false]),
        ("q", "2026-03-27T11:06:00Z", "preferences.updated", ["master": false]),
        ("c", "2026-03-27T13:06:00Z", "session.started", Self.sessionReference("1")),
      ], until: "2026-03-27T20:00:00Z",
      [
        "2026-03-26T18:00:00 c session-eve: Dialysis tomorrow | Friday, 27 March 2026 at 13:00",
        "2026-03-26T18:00:00 p session-eve: Dialysis tomorrow | Friday, 2026-03-27 at 11:00",
        "2026-03-26T18:00:00 q session-eve: Dialysis tomorrow | Friday, 2026-03-27 at 12:00",
        "2026-03-26T20:00:00 c weigh-in: No weight for 36 hours | Please step on the scale.",
        "2026-03-27T12:45:00 c care-late: Max | The session of 12:00 has not begun.",
      ])
  }
}
