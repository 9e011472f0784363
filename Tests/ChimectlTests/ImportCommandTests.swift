import API
import JSON
import Testing

@testable import chimectl

/// Rule E14: `chimectl import` shows the events of a calendar, or each fault with its line.
@Suite struct ImportCommandTests {
  private static let item: JSONObject = [
    "line": 2, "uid": "iron\u{7}@home", "id": "1f", "comparison": "new",
    "data": [
      "medicine": "iron", "name": "Iron",
      "schedule": [
        "times": ["08:00"], "from": "2026-03-02T08:00", "zone": "UTC", "rule": "FREQ=DAILY",
        "except": ["2026-03-04"], "also": ["2026-03-04T09:00", "2026-03-05T09:00"],
      ],
    ],
  ]

  private static func document(
    _ members: JSONObject = [:], dryRun: Bool = false, refused: Int64 = 0
  ) -> JSONValue {
    var item = item
    for member in members { item[member.key] = member.value }
    let ignored: JSONValue = [
      "file": .null, "here": true, "line": 7, "column": 0, "message": "TRIGGER is another time",
    ]
    return [
      "dryRun": .bool(dryRun), "items": [.object(item)], "accepted": 1, "duplicate": 0,
      "refused": .integer(refused), "unchanged": 0, "ignored": [ignored],
    ]
  }

  @Test func `E14: each event has a line with its plan, and each ignored part one`() throws {
    let text = try ImportCommand.text(Self.document(["status": "accepted"]))
    #expect(
      text == """
        line 2: accepted iron\\u0007@home, from 2026-03-02T08:00, zone UTC, rule FREQ=DAILY, \
        1 date left out, 2 dates added
        line 7: ignored: TRIGGER is another time
        accepted 1, duplicate 0, refused 0, unchanged 0

        """)
  }

  @Test(arguments: [
    ("new", "would add"), ("changed", "would change"), ("known", "known"), ("ended", "ended"),
    ("past", "past"),
  ])
  func `E14: a dry run shows the action of an import`(comparison: String, words: String) throws {
    let document = Self.document(["comparison": .string(comparison)], dryRun: true)
    let text = try ImportCommand.text(document)
    #expect(text.hasPrefix("line 2: \(words) iron"), "\(text)")
    #expect(text.hasSuffix("\nnothing was imported: this was a dry run\n"))
  }

  @Test func `E14: a refused event has its reason`() throws {
    let text = try ImportCommand.text(
      Self.document(
        ["status": "refused", "problem": ["detail": "subject has 64 plans"]], refused: 1))
    #expect(text.contains("line 2: refused iron\\u0007@home, from 2026-03-02T08:00"))
    #expect(text.contains("2 dates added: subject has 64 plans\n"))
  }

  @Test func `E14: the warning about a duplicate is shown`() throws {
    let text = try ImportCommand.text(
      Self.document(["status": "duplicate", "warnings": ["this plan was ended"]]))
    #expect(text.contains("2 dates added: warning: this plan was ended\n"))
  }

  @Test func `E14: each fault of a calendar is a line that names the options of the command`() {
    let fault: (Int64, String) -> JSONValue = { line, message in
      [
        "file": .null, "here": true, "line": .integer(line), "column": 0,
        "message": .string(message),
      ]
    }
    let failure = CommandError(
      flaws: Answer<ProblemPayload>([
        "problems": [
          fault(5, "DTSTART is a whole day; give one (allDay)"),
          fault(8, "TRIGGER is\u{1B}[2J another time (ignoreAlarms)"),
          fault(0, "3 more parts are faulty"),
        ]
      ]))
    #expect(failure.code == .data)
    #expect(
      failure.text == """
        error: nothing was imported
          line 5: DTSTART is a whole day; give one (--all-day)
          line 8: TRIGGER is\\u001b[2J another time (--ignore-alarms)
          3 more parts are faulty

        """)
  }

  @Test func `E14: an event type that is not declared is named by the service`() async throws {
    try await TestService.serving { socket in
      let failure = await #expect(throws: CommandError.self) {
        try await ServiceClient.connected(to: socket) {
          try await $0.importCalendar(
            Array("BEGIN:VCALENDAR\nEND:VCALENDAR\n".utf8),
            "/v1/imports/icalendar?recipient=u1&as=medicine.planed")
        }
      }
      #expect(failure?.code == .data)
      #expect(failure?.message.hasPrefix("as names \"medicine.planed\", which is not") == true)
    }
  }
}
