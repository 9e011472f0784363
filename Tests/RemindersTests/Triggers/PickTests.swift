import CivilTime
import JSON
import TestSupport
import Testing

@testable import Reminders

/// Rule G25: times that are picked at random. The expected times were computed in Python.
@Suite struct PickTests {
  private static func catalog(_ pick: String, rest: String = "") -> String {
    Fixtures.catalog(
      events: "{answered: {from: recipient}}",
      groups: """
        notes: {enabled: true, count: {number: [0, 5], initial: 3}, wake: "10:00", sleep: "18:00"}
        """,
      reminders: ["sample": "every: {day: {pick: {\(pick)}}}\(rest)"])
  }

  private static let daily = catalog("between: [\"10:00\", \"18:00\"], times: 3, apart: 90m")

  @Test func `G25: a recipient has the same times on a date, whatever happens before`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  created
      2026-03-02 10:39  > sample
      2026-03-02 12:16  > sample
      2026-03-02 13:00  restart
      2026-03-03 12:00  jump
      2026-03-03 12:00  x sample of 2026-03-02 15:43 (expired)
      2026-03-03 12:16  > sample
      2026-03-03 15:09  > sample
      2026-03-03 17:15  > sample
      2026-03-04 00:00  end
      """, catalog: Self.daily)
    try Diary.expect(
      """
      2026-03-03 14:00  created
      2026-03-03 15:09  > sample
      2026-03-03 17:15  > sample
      2026-03-04 00:00  end
      """, catalog: Self.daily)
  }

  @Test func `G25: other recipients and reminders have other times`() throws {
    #expect(
      try times(of: "zara", Self.daily) == ["13:32", "15:16", "17:23"])
    #expect(
      try times(of: "amina", Self.daily.replacing("sample:", with: "other:"))
        == ["10:26", "14:05", "15:44"])
  }

  private func times(of name: String, _ catalog: String) throws -> [String] {
    var player = Player(
      planner: try Fixtures.planner(catalog: catalog), now: try utc("2026-03-02 07:00"),
      name: name)
    try player.take("recipient.updated", ["name": "Amina"])
    player.advance(to: try utc("2026-03-03 00:00"))
    return player.entries.map { String($0.at.description.dropFirst(11).prefix(5)) }
  }

  @Test func `G25: a changed number picks the rest of the date again, and adds none beyond it`()
    throws
  {
    try Diary.expect(
      """
      2026-03-02 07:00  created
      2026-03-02 10:39  > sample
      2026-03-02 12:16  > sample
      2026-03-02 12:20  prefs {"reminders": {"notes": {"count": 5}}}
      2026-03-02 14:04  > sample
      2026-03-02 15:41  > sample
      2026-03-02 17:18  > sample
      2026-03-03 10:03  > sample
      2026-03-03 11:33  > sample
      2026-03-03 12:00  prefs {"reminders": {"notes": {"count": 2}}}
      2026-03-04 13:47  > sample
      2026-03-04 14:00  prefs {"reminders": {"notes": {"count": 0}}}
      2026-03-09 00:00  end
      """,
      catalog: Self.catalog("between: [$wake, $sleep], times: $count, apart: 90m"))
  }

  @Test(arguments: ["", " @ 2026-11-25 13:20"])
  func `G25: a changed setting sends nothing within the distance of a sent time`(
    lateness: String
  ) throws {
    // Of four times, the third is at 15:01.
    try Diary.expect(
      """
      2026-11-25 07:00  created
      2026-11-25 13:13  > sample
      2026-11-25 14:59  > sample
      2026-11-25 15:00  prefs {"reminders": {"notes": {"count": 4}}}\(lateness)
      2026-11-25 16:32  > sample
      2026-11-26 11:28  > sample
      2026-11-26 12:00  end
      """,
      catalog: Self.catalog("between: [\"10:00\", \"18:00\"], times: $count, apart: 90m"))
  }

  @Test func `G25: a report that leaves a setting unchanged leaves the times unchanged`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  created
      2026-03-02 10:30  prefs {"reminders": {"notes": {"count": 3}}}
      2026-03-02 10:39  > sample
      2026-03-02 11:30  prefs {"reminders": {"notes": {"count": 3}}}
      2026-03-02 12:16  > sample
      2026-03-02 13:00  restart
      2026-03-02 15:30  prefs {"reminders": {"notes": {"count": 3}}}
      2026-03-02 15:43  > sample
      2026-03-03 00:00  end
      """, catalog: Self.catalog("between: [$wake, $sleep], times: $count, apart: 90m"))
  }

  @Test func `G25: the time of the latest pick is stored`() throws {
    var progress = Progress(cutoff: try utc("2026-03-02 12:00"))
    let (sample, time) = (Symbol("sample"), try #require(LocalTime("23:59")))
    progress.finish(sample, key: 7, message: 200, pickedTime: time)
    #expect(progress.finished(sample)?.pickedTime == time)
    #expect(try progress.encoded.withUnsafeBytes { try Progress(decoding: $0) } == progress)
  }

  @Test func `G25: a held time is not explained by the settings after it was picked`() throws {
    let catalog = Self.catalog("between: [\"10:00\", \"18:00\"], times: $count, apart: 90m")
    let planner = try Fixtures.planner(catalog: catalog)
    let reminder = try #require(planner.catalog.reminders.first)
    var player = Player(planner: planner, now: try utc("2026-11-25 07:00"))
    let key = Int64(try #require(LocalDate("2026-11-25")).daysSinceEpoch) * 1_440 + 2
    func timing() -> String? {
      PlanningContext(facts: player.recipient.facts, planner: planner)
        .timing(of: reminder, key: key)
    }
    try player.take("recipient.updated", ["name": "Amina"])
    #expect(
      timing() == "picked at random between 10:00 and 18:00, 3 of 3, at least 1h 30m apart")
    try player.take("preferences.updated", ["reminders": ["notes": ["count": 2]]])
    #expect(timing() == "picked at random before a setting changed")
  }

  @Test func `T14: a reminder that repeats a picked time needs the same pick`() {
    func error(_ times: Int) -> String? {
      let text = Fixtures.catalog(
        reminders: [
          "sample": "every: {day: {pick: {between: [\"10:00\", \"18:00\"], times: 3, apart: 90m}}}",
          "nag": """
          repeats: sample, every: {day: {pick: {between: ["10:00", "18:00"], times: \(times), \
          apart: 90m}, after: 15m}}
          """,
        ])
      do {
        _ = try Fixtures.read(text)
        return nil
      } catch {
        return "\(error)"
      }
    }
    #expect(error(3) == nil)
    let fault = "\"nag\" needs the same \"pick\", with the same values, as \"sample\""
    #expect(error(2)?.contains(fault) == true)
  }

  @Test func `G25: a window that its recipient ends before its start ends at midnight`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  created
      2026-03-02 07:00  prefs {"reminders": {"notes": {"wake": "20:00", "sleep": "02:00"}}}
      2026-03-02 21:39  > sample
      2026-03-02 23:24  > sample
      2026-03-03 21:50  > sample
      2026-03-03 23:50  > sample
      2026-03-04 12:00  end
      """,
      catalog: Self.catalog("between: [$wake, $sleep], times: 2, apart: 30m"))
  }

  @Test func `G25: the distances are elapsed time, also when clocks change`() throws {
    // 02:00 becomes 03:00 on 2026-03-29 in Berlin, and 03:00 becomes 02:00 on 2026-10-25.
    let catalog = Self.catalog("between: [\"00:00\", \"04:00\"], times: 3, apart: 60m")
    try Diary.expect(
      """
      2026-03-28 12:00  zone Europe/Berlin
      2026-03-28 23:08  > sample
      2026-03-29 00:31  > sample
      2026-03-29 01:56  > sample
      2026-03-29 12:00  end
      """, catalog: catalog)
    try Diary.expect(
      """
      2026-10-24 12:00  zone Europe/Berlin
      2026-10-24 22:31  > sample
      2026-10-25 01:15  > sample
      2026-10-25 02:38  > sample
      2026-10-25 12:00  end
      """, catalog: catalog)
  }

  @Test func `G25: a window that a skipped hour makes too short has as many times as fit`() throws {
    let catalog = Self.catalog("between: [\"01:00\", \"04:00\"], times: 3, apart: 90m")
    try Diary.expect(
      """
      2026-03-27 12:00  zone Europe/Berlin
      2026-03-28 00:00  > sample
      2026-03-28 01:30  > sample
      2026-03-28 03:00  > sample
      2026-03-29 00:22  > sample
      2026-03-29 01:57  > sample
      2026-03-29 12:00  end
      """, catalog: catalog)
  }

  @Test func `G25: a repetition follows each picked time, and an answer ends only the nearest`()
    throws
  {
    try Diary.expect(
      """
      2026-03-02 07:00  created
      2026-03-02 10:39  > sample
      2026-03-02 10:45  event answered
      2026-03-02 12:16  > sample
      2026-03-02 12:31  > sample+1
      2026-03-02 14:30  event answered
      2026-03-03 00:00  end
      """,
      catalog: Self.catalog(
        "between: [\"10:00\", \"18:00\"], times: 3, apart: 90m",
        rest: ", unless: answered, again: {every: 15m, times: 1, unless: answered}"))
  }

  @Test func `G25: quiet hours hold a picked time, and rest days drop it`() throws {
    try Diary.expect(
      """
      2026-03-06 07:00  created
      2026-03-06 07:00  quiet 10:00 11:00
      2026-03-06 11:00  > sample of 2026-03-06 10:53 (quiet_hours)
      2026-03-06 13:28  > sample
      2026-03-06 17:31  > sample
      2026-03-07 11:59  x sample (calendar)
      2026-03-07 13:35  x sample (calendar)
      2026-03-07 15:57  x sample (calendar)
      2026-03-08 00:00  end
      """,
      catalog: Self.catalog(
        "between: [\"10:00\", \"18:00\"], times: 3, apart: 90m", rest: ", skip: {weekends: true}"))
  }

  @Test func `V8: a picked time is explained with its window`() throws {
    var player = Player(
      planner: try Fixtures.planner(catalog: Self.daily), now: try utc("2026-03-02 11:00"))
    try player.take("recipient.updated", ["name": "Amina"])
    #expect(
      try Self.timing(player)
        == "picked at random between 10:00 and 18:00, 2 of 3, at least 1h 30m apart")
    let short = Self.catalog("between: [\"01:00\", \"04:00\"], times: 3, apart: 90m")
    player = Player(
      planner: try Fixtures.planner(catalog: short, defaultZone: "Europe/Berlin"),
      now: try utc("2026-03-28 12:00"))
    try player.take("recipient.updated", ["name": "Amina"])
    #expect(
      try Self.timing(player)
        == "picked at random between 01:00 and 04:00, which has no room for 3, 1 of 2, at least "
        + "1h 30m apart")
  }

  private static func timing(_ player: Player) throws -> String? {
    try player.recipient.explain(
      .pending(reminder: "sample"), now: player.now, planner: player.planner
    ).first?.timing
  }

  // MARK: - Distribution

  private static func picked(apart: Int) throws -> PickedTimes {
    let time = TimeSource.fixed(try #require(LocalTime("10:00")))
    return PickedTimes(
      reminder: Symbol("sample"), start: time, end: time, count: .fixed([3]), apart: apart)
  }

  @Test func `G25: each possible choice has the same probability`() throws {
    let picked = try Self.picked(apart: 2)
    var possible: Set<[Int]> = []
    for first in 0...6 {
      for second in 0...6 where second >= first + 2 {
        for third in 0...6 where third >= second + 2 { possible.insert([first, second, third]) }
      }
    }
    #expect(possible.count == 10)
    var counts: [[Int]: Int] = [:]
    for seed in 0..<20_000 {
      counts[picked.pick(3, in: 6, seed: mixed(UInt64(seed))), default: 0] += 1
    }
    #expect(Set(counts.keys) == possible)
    // The standard deviation is 42.
    #expect(counts.values.allSatisfy { (1_800...2_200).contains($0) }, "\(counts)")
  }

  @Test(arguments: Seeds.all)
  func `G25: picks keep within the window and their distances`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<2_000 {
      let apart = Int.random(in: 1...200, using: &random)
      let length = Int.random(in: -10...1_439, using: &random)
      let picked = try Self.picked(apart: apart)
      let wanted = Int.random(in: 1...24, using: &random)
      let count = picked.fittingCount(wanted, in: length)
      let minutes = picked.pick(count, in: length, seed: random.next())
      try #require(minutes.count == count, "seed \(seed)")
      try #require(minutes.allSatisfy { (0...max(length, 0)).contains($0) }, "seed \(seed)")
      try #require(
        zip(minutes, minutes.dropFirst()).allSatisfy { $1 - $0 >= apart }, "seed \(seed)")
      try #require(count == wanted || count * apart > max(length, 0), "seed \(seed)")
    }
  }

  @Test func `G25: the times of many recipients and dates fill the window evenly`() throws {
    let planner = try Fixtures.planner(
      catalog: Self.catalog("between: [\"10:00\", \"18:00\"], times: 1, apart: 1m"))
    let reminder = try #require(planner.catalog.reminders.first)
    let start = try utc("2026-03-02 00:00")
    var hours = [Int](repeating: 0, count: 8)
    for number in 0..<400 {
      let recipient = Recipient(name: "person-\(number)", now: start)
      let context = PlanningContext(facts: recipient.facts, planner: planner)
      var cutoff = start
      for _ in 0..<20 {
        let next = try #require(
          context.next(reminder, after: cutoff, progress: recipient.progress))
        cutoff = next.planned
        let minute = Int((cutoff - start).milliseconds / 60_000) % 1_440
        if minute < 1_080 { hours[minute / 60 - 10] += 1 }
      }
    }
    // 8,000 times, of which each hour has 998 on average, with a standard deviation of 30.
    #expect(hours.allSatisfy { (850...1_150).contains($0) }, "\(hours)")
  }

  // MARK: - Mistakes

  @Test(arguments: [
    (
      "between: [\"10:00\", \"12:00\"], times: 3, apart: 90m",
      "3 times at least 1h 30m apart need 3h, and \"between\" has 2h; use a longer window, at "
        + "most 2 times, or at most 1h apart"
    ),
    (
      "between: [\"18:00\", \"10:00\"], times: 3, apart: 90m",
      "\"between\" must end after it begins, on the same date; 10:00 is not after 18:00"
    ),
    (
      "between: [\"10:00\"], times: 3, apart: 90m",
      "\"between\" must be two times of day, such as [\"10:00\", \"18:00\"]"
    ),
    (
      "between: [$wake, $sleep], times: 25, apart: 1m", "\"times\" must be from 1 to 24"
    ),
    (
      "between: [$wake, $sleep], times: $count, apart: 5h",
      "3 times at least 5h apart need 10h, and \"between\" has 8h; use a longer window, at most 2 "
        + "times, or at most 4h apart"
    ),
    (
      "between: [$wake, $sleep], times: 2, apart: 30s",
      "\"apart\" must be whole minutes from 1m to 24h; it is 30s"
    ),
    ("between: [$wake, $sleep], times: 2", "\"pick\" needs \"apart\""),
  ])
  func `G25: a window that cannot hold its times is refused`(pick: String, reason: String) {
    do {
      _ = try Fixtures.read(Self.catalog(pick))
      Issue.record("the catalog is valid")
    } catch {
      #expect("\(error)".contains(reason), "\(error)")
      #expect("\(error)".split(separator: "\n").count == 1, "\(error)")
    }
  }
}
