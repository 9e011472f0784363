import JSON
import Testing

@testable import chimectl

/// The days ahead as drawn on a terminal.
@Suite struct DayStripTests {
  private static let timeline: JSONValue = [
    "recipient": "u1", "zone": "Europe/Berlin",
    "days": [
      [
        "date": "2026-03-28", "start": "2026-03-27T23:00:00.000Z",
        "end": "2026-03-28T23:00:00.000Z",
      ],
      // 23 hours: daylight saving time begins.
      [
        "date": "2026-03-29", "start": "2026-03-28T23:00:00.000Z",
        "end": "2026-03-29T22:00:00.000Z",
      ],
    ],
    "quiet": [["start": "2026-03-28T21:00:00.000Z", "end": "2026-03-29T05:00:00.000Z"]],
    "timeline": [
      entry(at: "2026-03-28T07:00:00.000Z"),
      entry(at: "2026-03-28T08:00:00.000Z", planned: "2026-03-28T06:00:00.000Z"),
      entry(at: "2026-03-29T21:59:00.000Z", outcome: "dropped"),
    ],
  ]

  private static func entry(
    at: String, planned: String? = nil, outcome: String = "delivered"
  ) -> JSONValue {
    [
      "at": .string(at), "planned": .string(planned ?? at), "outcome": .string(outcome),
      "local": "2026-03-28 08:00", "reminder": "r", "title": "T", "channels": ["push"],
      "reasons": [],
    ]
  }

  @Test func `a day is one line with its quiet hours and notifications`() throws {
    let lines = try DayStrips(Self.timeline).text.split(separator: "\n")
    let first = String(repeating: "·", count: 16) + "●·◐" + String(repeating: "·", count: 25)
    #expect(lines[0] == "2026-03-28  \(first)░░░░")
    // Six of the 23 hours are quiet.
    let second = String(repeating: "░", count: 12) + String(repeating: "·", count: 35) + "○"
    #expect(lines[1] == "2026-03-29  \(second)")
    #expect(lines[2].hasPrefix("● sent"))
  }

  @Test func `days are drawn only on a terminal that is wide enough`() throws {
    let wide = Screen(width: 80, canRedraw: true)
    func text(on screen: Screen) throws -> String {
      try Screen.$current.withValue(screen) { try AheadCommand.text(Self.timeline) }
    }
    #expect(try text(on: wide).contains("░"))
    for screen in [Screen.paper, Screen(width: 40, canRedraw: true), Screen(width: 80)] {
      #expect(try !text(on: screen).contains("░"))
    }
  }

  @Test func `the histogram has a log scale, with zero as a space`() throws {
    let counts = try DurationHistogram(
      ["bounds": [0.1, 1, 10], "counts": [0, 1, 1_000, 5]])
    #expect(counts.sparkline == " ▁█▃")
  }
}
