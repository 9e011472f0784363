import API
import ArgumentParser
import JSON
import Testing

@testable import chimectl

/// Responses of the service as printed on a terminal.
@Suite struct ReportTests {
  private func agenda(isDefault: Bool = false, _ entries: [JSONValue]) -> JSONValue {
    [
      "recipient": "anna", "zone": "America/New_York", "zoneIsDefault": .bool(isDefault),
      "now": "2026-03-02T02:00:30.000Z", "pending": .array(entries), "next": nil,
    ]
  }

  private func entry(
    _ title: String, _ reminder: String, at: String, local: String, planned: String,
    plannedLocal: String, outcome: String = "delivered", reasons: [JSONValue] = []
  ) -> JSONValue {
    [
      "reminder": .string(reminder), "category": "LESSON", "channels": ["push"],
      "title": .string(title), "body": "", "planned": .string(planned),
      "plannedLocal": .string(plannedLocal), "at": .string(at), "local": .string(local),
      "offset": "-05:00", "abbreviation": "EST", "outcome": .string(outcome),
      "reasons": .array(reasons),
    ]
  }

  @Test func `pending occurrences are printed as a table`() throws {
    let entries = [
      entry(
        "Day 2 Lesson Ready", "daily-lesson-reminder", at: "2026-03-02T11:00:30Z",
        local: "2026-03-02 06:00", planned: "2026-03-02T03:30:00Z",
        plannedLocal: "2026-03-01 22:30", reasons: ["quiet_hours"]),
      entry(
        "Daily Check-in", "daily-checkin-reminder", at: "2026-03-03T02:00:00Z",
        local: "2026-03-02 21:00", planned: "2026-03-03T02:00:00Z",
        plannedLocal: "2026-03-02 21:00"),
      entry(
        "News", "news", at: "2026-03-06T13:00:00Z", local: "2026-03-06 08:00",
        planned: "2026-03-04T13:00:00Z", plannedLocal: "2026-03-04 08:00",
        reasons: ["vacation", "quiet_hours"]),
      entry(
        "Old news", "news", at: "2026-03-06T13:00:00Z", local: "2026-03-06 08:00",
        planned: "2026-03-04T13:00:00Z", plannedLocal: "2026-03-04 08:00", outcome: "dropped",
        reasons: ["vacation", "expired"]),
    ]
    #expect(
      try PendingReport(agenda(entries)).text == """
        anna, America/New_York
        LOCAL TIME            WHEN            TITLE               REMINDER                NOTE
        2026-03-02 06:00 EST  in 9 h          Day 2 Lesson Ready  daily-lesson-reminder   held by \
        quiet_hours from 22:30
        2026-03-02 21:00 EST  in 23 h 59 min  Daily Check-in      daily-checkin-reminder
        2026-03-06 08:00 EST  in 4 d 10 h     News                news                    held by \
        vacation, quiet_hours from 2026-03-04 08:00
        2026-03-06 08:00 EST  in 4 d 10 h     Old news            news                    dropped: \
        vacation, expired

        """)
  }

  @Test func `G9: a pending date names the entities that share it`() throws {
    var dose =
      entry(
        "Doses", "dose", at: "2026-03-02T11:00:30Z", local: "2026-03-02 06:00",
        planned: "2026-03-02T11:00:00Z", plannedLocal: "2026-03-02 06:00"
      ).objectValue ?? [:]
    dose["entities"] = ["Iron", "Zi\u{1b}nc"]
    #expect(
      try PendingReport(agenda([.object(dose)])).text == """
        anna, America/New_York
        LOCAL TIME            WHEN    TITLE  REMINDER                  NOTE
        2026-03-02 06:00 EST  in 9 h  Doses  dose of Iron, Zi\\u001bnc

        """)
  }

  @Test func `G9: a change names the entities for which a shared date is cancelled`() throws {
    let change: JSONValue = [
      "change": "cancelled", "reminder": "dose", "title": "Doses", "channels": ["push"],
      "entities": ["Iron", "Zinc"], "before": "2026-03-02T11:00:00Z",
      "beforeLocal": "2026-03-02 06:00", "after": nil, "afterLocal": nil, "reasons": [],
    ]
    var other = change.objectValue ?? [:]
    (other["reminder"], other["entities"]) = ("walk", nil)
    let answer: JSONValue = [
      "dryRun": false, "changes": [change, .object(other)], "warnings": [],
    ]
    #expect(
      try PreferencesCommand.text(answer) == """
        Changed.
        cancelled  dose of Iron, Zinc  2026-03-02 06:00
        cancelled  walk                2026-03-02 06:00

        """)
  }

  @Test(
    arguments: [
      (["Iron", "Zinc"], nil, "about Iron, Zinc\n"),
      (["Iron"], ["Zinc", "Folate"], "about Iron; cancelled: Zinc, Folate\n"),
      (nil, ["Zinc"], "cancelled: Zinc\n"), (nil, nil, ""),
    ] as [([JSONValue]?, [JSONValue]?, String)])
  func `G9: an explanation names the entities of a date, and those whose series has ended`(
    entities: [JSONValue]?, ended: [JSONValue]?, text: String
  ) throws {
    var past: JSONObject = [
      "notification": "abc-7", "reminder": "dose", "category": "DOSE", "title": "Doses",
      "channels": ["push"], "zone": "Europe/Berlin", "plannedLocal": "2026-03-02 21:00",
      "rounds": [], "verdicts": [], "outcome": "accepted", "local": "2026-03-02 21:00",
      "counterfactual": nil, "deliveries": [],
    ]
    past["entities"] = entities.map { .array($0) }
    past["endedEntities"] = ended.map { .array($0) }
    #expect(
      try ExplainReport(["recipient": "anna", "explanations": [.object(past)]]).text == """
        dose (DOSE) by push
        "Doses"
        planned for 2026-03-02 21:00 Europe/Berlin
        \(text)so it was accepted at 2026-03-02 21:00 Europe/Berlin

        """)
  }

  @Test func `L8: the report names the parts of the past that are not known`() throws {
    let unknown: JSONValue = ["the time zone rules of 2025b", "2 events"]
    let lines = "Not known: the time zone rules of 2025b\nNot known: 2 events\n"
    #expect(
      try ExplainReport(["recipient": "anna", "explanations": [], "unknown": unknown]).text == lines
    )
    #expect(
      try AheadCommand.text(
        ["recipient": "anna", "zone": "UTC", "timeline": [], "unknown": unknown])
        == "anna, UTC\nNothing is planned.\n" + lines)
  }

  @Test func `L8: the commands ask for the past instant`() async throws {
    let instant = ["--as-of", "2026-03-02T21:00:00Z"]
    let parameter = "&asOf=2026-03-02T21%3A00%3A00%2E000Z"
    #expect(
      try await AheadCommand.asyncParse(["u1"] + instant).path
        == "/v1/recipients/u1/ahead?days=7" + parameter)
    #expect(
      try await ExplainCommand.asyncParse(["u1", "note"] + instant).path
        == "/v1/recipients/u1/explain?reminder=note" + parameter)
    await #expect(throws: (any Error).self) {
      try await ExplainCommand.asyncParse(["u1", "--notification", "a-1"] + instant)
    }
  }

  @Test func `V6: a digest is one row with its members below`() throws {
    let member = entry(
      "Breakfast", "breakfast", at: "2026-03-02T11:00:00Z", local: "2026-03-02 06:00",
      planned: "2026-03-02T11:00:00Z", plannedLocal: "2026-03-02 06:00")
    var digest =
      entry(
        "2 reminders", "digest", at: "2026-03-02T11:00:00Z", local: "2026-03-02 06:00",
        planned: "2026-03-02T11:00:00Z", plannedLocal: "2026-03-02 06:00"
      ).objectValue ?? [:]
    digest["members"] = [member, member]
    digest["for"] = ["reminder": "visit", "at": "2026-03-02T12:00:00Z"]
    let lines = try PendingReport(agenda([.object(digest)])).text.split(separator: "\n")
    #expect(lines.count == 5)
    #expect(lines[2].contains("2 reminders  digest"))
    #expect(lines[2].contains("for visit in "))
    #expect(lines[3].drop { $0 == " " }.hasPrefix("- Breakfast  breakfast"))
  }

  @Test func `S1: a reload names the reminders that it ends`() throws {
    let ended: JSONValue = [["reminder": "weigh-in", "people": 2, "occurrences": 3]]
    let report = Answer<ReloadPayload>(
      [
        "status": "reloaded", "restart": ["listen"], "ended": ended,
        "unavailable": ["hook: no secret"],
        "outdated": ["the sink smtp continues with its former settings: no password"],
        "fixedSecrets": ["mail"],
      ])
    #expect(
      try ReloadCommand.text(report) == """
        reloaded, except listen: restart the service to apply these settings
        the new catalogs end 3 pending occurrences of weigh-in for 2 recipients
        unavailable sink hook: no secret
        the sink smtp continues with its former settings: no password
        these secrets were not read again, because systemd provides them only at the start: mail
        if one of them has changed, run: systemctl restart chimed
        """)
  }

  @Test func `if nothing is pending, a sentence is printed`() throws {
    #expect(
      try PendingReport(agenda(isDefault: true, [])).text == """
        anna, America/New_York (default)
        Nothing is pending.

        """)
  }

  @Test(arguments: ["now", "zone", "recipient"])
  func `a response without a required member is a failure`(name: String) throws {
    guard case .object(var object) = agenda([]) else { return }
    object[name] = nil
    let failure = #expect(throws: CommandError.self) { try PendingReport(.object(object)) }
    #expect(failure?.code == .protocolError)
    #expect(failure?.message == "the service's reply lacks \(name)")
  }

  @Test(arguments: [
    (0, "0"), (999, "999"), (1_000, "1,000"), (-1_234_567, "-1,234,567"),
    (Int64.min, "-9,223,372,036,854,775,808"),
  ])
  func `large numbers have thousands separators`(number: Int64, text: String) {
    #expect(StatusReport.grouped(number) == text)
  }

  @Test func `a past notification is printed with gates and deliveries`() throws {
    let gate: JSONValue = [
      "gate": "quiet_hours", "verdict": "holds", "input": "quiet hours 20:30-07:00 Europe/Berlin",
      "until": "2026-03-03T06:00:00.000Z", "untilLocal": "2026-03-03 07:00",
    ]
    var past: JSONObject = [
      "notification": "abc-7", "reminder": "daily-checkin-reminder", "category": "CHECKIN",
      "title": "Check\u{1b}in", "channels": ["push"], "zone": "Europe/Berlin",
      "plannedLocal": "2026-03-02 21:00",
      "rounds": [["local": "2026-03-02 21:00", "gates": [gate]]],
      "verdicts": [["gate": "quiet_hours", "verdict": "held"]], "outcome": "accepted",
      "local": "2026-03-03 07:00",
      "counterfactual":
        "would have been sent at 2026-03-02 21:00 Europe/Berlin if not for quiet hours",
      "deliveries": [
        ["sink": "jsonl", "channel": "push", "state": "accepted"],
        [
          "sink": "webhook", "channel": "push", "state": "retrying", "failedAttempts": 2,
          "nextLocal": "2026-03-03 07:05", "reason": "busy",
        ],
      ],
    ]
    func text() throws -> String {
      try ExplainReport(["recipient": "anna", "explanations": [.object(past)]]).text
    }
    #expect(
      try text() == """
        daily-checkin-reminder (CHECKIN) by push
        "Check\\u001bin"
        planned for 2026-03-02 21:00 Europe/Berlin
        at 2026-03-02 21:00:
          quiet_hours  holds until 2026-03-03 07:00  quiet hours 20:30-07:00 Europe/Berlin
        so it was accepted at 2026-03-03 07:00 Europe/Berlin
        It would have been sent at 2026-03-02 21:00 Europe/Berlin if not for quiet hours.
        push by jsonl    accepted
        push by webhook  retrying at 2026-03-03 07:05  2 failed  busy

        """)
    past["rounds"] = nil
    #expect(try text().contains("their verdicts were:\n  quiet_hours  held\nso it was accepted"))
  }
}
