import CivilTime
import Foundation
import TestSupport
import Testing

@testable import Reminders

/// Rule E15: random calendars of several series have the instants that the Python package
/// `dateutil` gives; the script beside the file documents its lines.
@Suite struct CalendarOracleTests {
  private struct Sample {
    let text: String
    /// The instants of each event from March to May, by UID.
    let instants: [String: [Instant]]
  }

  private static let samples = Result {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../Recurrence/calendars.txt").standardized
    var (samples, lines): ([Sample], [Substring]) = ([], [])
    for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
      if line.first == "=" {
        let text = lines.joined(separator: "\n") + "\n"
        samples.append(Sample(text: text, instants: try expectedInstants(line.dropFirst())))
        lines = []
      } else {
        lines.append(line)
      }
    }
    return samples
  }

  /// Reads the instants in "u0 3:540 4:540,u1 7:600".
  private static func expectedInstants(_ line: Substring) throws -> [String: [Instant]] {
    let start = try utc("2026-03-01 00:00")
    let events = try line.split(separator: ",").map { event in
      let words = event.split(separator: " ")
      let instants = try words.dropFirst().map { word in
        let numbers = word.split(separator: ":").compactMap { Int($0) }
        try #require(numbers.count == 2)
        return start + .days(numbers[0]) + .minutes(numbers[1])
      }
      return (String(words[0]), instants)
    }
    return Dictionary(uniqueKeysWithValues: events)
  }

  @Test func `E15: the instants of random calendars are those of dateutil`() throws {
    let samples = try Self.samples.get()
    try #require(samples.count >= 60)
    for sample in samples {
      let result = try CalendarSample.imported(sample.text, now: try utc("2026-02-01 00:00"))
      try #require(result.flaws == [] && result.ignored == [], "\(sample.text)")
      #expect(Set(result.entries.map(\.uid)) == Set(sample.instants.keys))
      for entry in result.entries {
        let plan = try #require(entry.event.plan)
        #expect(
          try Self.planned(plan) == sample.instants[entry.uid], "\(entry.uid) in \(sample.text)")
      }
    }
  }

  /// Returns the instants from March to May at which a plan has doses.
  private static func planned(_ plan: EntityPlan) throws -> [Instant] {
    let start = try utc("2026-03-01 00:00") - .milliseconds(1)
    let run = PlanRun(
      item: 0, series: 7, identifier: "a", plan: plan,
      zone: try Fixtures.zone(plan.zoneName ?? "UTC"), start: Stamp(time: start, order: 1),
      earliest: start, hasReportedTimes: true, resumption: nil, isStopped: false)
    let end = try utc("2026-06-01 00:00")
    var instants: [Instant] = []
    while let next = run.next(after: instants.last ?? start, beyond: nil), next.planned < end {
      instants.append(next.planned)
    }
    return instants
  }

  @Test(arguments: Seeds.all)
  func `E15: the order of components makes no difference, and damage has lines`(
    seed: UInt64
  ) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<20 {
      let sample = try #require(try Self.samples.get().randomElement(using: &random))
      let parts = sample.text.split(separator: "END:VEVENT\n")
      let first = try #require(parts.first).dropFirst("BEGIN:VCALENDAR\n".count)
      let components = ([first] + parts.dropFirst().dropLast()).map { $0 + "END:VEVENT\n" }
      let shuffled =
        "BEGIN:VCALENDAR\n" + components.shuffled(using: &random).joined() + "END:VCALENDAR\n"
      let documents = try CalendarSample.imported(sample.text).entries.map(\.document)
      let others = try CalendarSample.imported(shuffled)
      #expect(others.flaws == [] && Set(others.entries.map(\.document)) == Set(documents))
      var bytes = Array(shuffled.utf8)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let start = Int.random(in: 0..<bytes.count, using: &random)
        let piece =
          ["\n", ";", ":", ",", "=", "Z", "9", "DATE"].randomElement(using: &random) ?? ""
        let end = min(bytes.count, start + Int.random(in: 0...12, using: &random))
        bytes.replaceSubrange(start..<end, with: Array(piece.utf8))
      }
      let damaged = try CalendarSample.imported(bytes)
      let lines = [damaged.flaws, damaged.ignored].map { $0.map(\.line) }
      #expect(lines.allSatisfy { $0 == $0.sorted() }, "seed \(seed)")
      #expect(lines.joined().allSatisfy { (1...bytes.count).contains($0) }, "seed \(seed)")
    }
  }
}
