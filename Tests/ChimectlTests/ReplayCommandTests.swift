import ArgumentParser
import JSON
import Reminders
import Testing

@testable import chimectl

/// `chimectl replay`: what another catalog would have sent (rule L5).
@Suite struct ReplayCommandTests {
  private static let answer: JSONValue = [
    "since": "2026-03-02T03:00:00.000Z", "now": "2026-03-04T23:00:00.000Z", "people": 3,
    "asked": 2, "exact": false, "changed": 2, "warmUp": 0, "leftOut": 1,
    "unknown": ["the time zone rules of 2019a"], "perDay": 5,
    "busy": ["then": 0, "now": 1, "examples": ["amina"]],
    "lines": [
      [
        "reminder": "checkin", "category": "CHECKIN", "channel": "push", "then": 6, "now": 4,
        "changes": [
          [
            "change": "moved", "notifications": 4, "people": 2, "examples": ["amina", "bilal"],
          ],
          [
            "change": "dropped", "reason": "expired", "notifications": 2, "people": 1,
            "examples": ["bilal"],
          ],
        ],
      ],
      [
        "reminder": "lesson", "category": "LESSON", "channel": "push", "then": 3, "now": 3,
        "changes": [],
      ],
    ],
  ]

  @Test func `L5: a replay is shown as a table, with what is not known`() throws {
    #expect(
      try ReplayCommand.text(Self.answer) == """
        Since 2026-03-02T03:00:00.000Z: 2 of 3 recipients, 2 with changes.
        REMINDER  CHANNEL  THEN  NOW  CHANGE              COUNT  RECIPIENTS
        checkin   push     6     4    moved               4      2: amina, bilal
        checkin   push     6     4    dropped by expired  2      1: bilal
        lesson    push     3     3    none
        More than 5 on a date: 0 recipients then, 1 now.
        Not known: the time zone rules of 2019a

        """)
  }

  @Test func `L6: an audit is shown with both decisions of each difference`() throws {
    let audit: JSONValue = [
      "since": "2026-03-02T03:00:00.000Z", "until": "2026-03-04T22:59:00.000Z", "people": 3,
      "audited": 2, "exact": false, "shortened": 1, "leftOut": 0, "occurrences": 12,
      "differences": 1, "excused": [["cause": "late", "people": 1]], "following": 4,
      "findings": [
        [
          "recipient": "amina", "reminder": "checkin", "notification": "k3x-17",
          "planned": "2026-03-02T21:00:00.000Z", "replayed": .null,
          "recorded": [
            "outcome": "dropped", "reasons": ["expired"], "at": "2026-03-02T21:00:00.000Z",
          ],
        ]
      ], "unknown": ["the time zone rules of 2019a"],
    ]
    #expect(
      try ReplayCommand.text(audit) == """
        Since 2026-03-02T03:00:00.000Z, until 2026-03-04T22:59:00.000Z: 2 of 3 recipients, \
        12 occurrences. Recipients with differences: 1.
        RECIPIENT  REMINDER  PLANNED                   REPLAYED  \
        RECORDED                                        ID
        amina      checkin   2026-03-02T21:00:00.000Z  nothing   \
        dropped by expired at 2026-03-02T21:00:00.000Z  k3x-17
        Excused recipients, late: 1.
        Later disagreements of these recipients: 4.
        Recipients stored for a part of the interval only: 1.
        Not known: the time zone rules of 2019a

        """)
  }

  @Test func `L6: an audit has no catalog, and no options of one`() async throws {
    let command = try await ReplayCommand.asyncParse(["--since", "7d"])
    #expect(command.catalog == nil)
    for option in [["--name", "n"], ["--per-day", "3"]] {
      await #expect(throws: (any Error).self) {
        try await ReplayCommand.asyncParse(["--since", "7d"] + option)
      }
    }
  }

  @Test func `a draft replaces the catalog that it declares`() throws {
    let text = try #require(StarterCatalog(name: "water")).text
    #expect(ReplayCommand.name(of: CatalogSource(file: "draft.yaml", text: text)) == "water")
    #expect(ReplayCommand.name(of: CatalogSource(file: "draft.yaml", text: "x")) == "draft.yaml")
  }

  @Test func `a recipient and a sample exclude each other`() async throws {
    let arguments = ["--since", "7d", "--catalog", "a.yaml", "--recipient", "u1"]
    let command = try await ReplayCommand.asyncParse(arguments)
    #expect(command.recipient == "u1" && command.sample == nil)
    await #expect(throws: (any Error).self) {
      try await ReplayCommand.asyncParse(arguments + ["--sample", "3"])
    }
  }
}
