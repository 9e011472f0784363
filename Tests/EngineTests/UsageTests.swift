import CivilTime
import GRDB
import JSON
import Outbox
import Reminders
import Store
import Testing

@testable import Engine
@testable import SQLiteStore

/// Rule M2: the counts of usage.
@Suite struct UsageTests {
  let stage: Stage

  init() throws {
    stage = try Stage(at: "2026-03-02 09:00")
  }

  /// Returns a line for each count except zero: "CHECKIN push 21 planned 2".
  private func lines(_ from: String, _ to: String) throws -> [String] {
    let (first, last) = try (#require(LocalDate(from)), #require(LocalDate(to)))
    return try stage.query(UsageQuery(from: first, through: last)).lines
  }

  @Test func `M2: a sent notification counts as planned, sent and delivered`() throws {
    try stage.take("relapse", of: "amina")
    try stage.take("relapse", of: "bilal")
    try stage.run(to: "2026-03-02 22:00")
    #expect(
      try lines("2026-03-02", "2026-03-02") == [
        "CHECKIN push 21 planned 2", "CHECKIN push 21 sent 2",
        "CHECKIN push 21 delivered 2",
      ])
    #expect(try lines("2026-03-03", "2026-04-02") == [])
  }

  @Test func `D6: a notification that no sink accepted is not delivered`() throws {
    try stage.take("relapse")
    stage.reply = Stage.failing
    try stage.run(to: "2026-03-02 21:30")
    #expect(
      try lines("2026-03-02", "2026-03-02") == [
        "CHECKIN push 21 planned 1", "CHECKIN push 21 sent 1",
      ])
    stage.reply = { .success($0.map { _ in SinkAnswer(.rejected(reason: "unknown device")) }) }
    try stage.run(to: "2026-03-02 23:30")
    let failures = try lines("2026-03-02", "2026-03-02").dropFirst(2)
    #expect(failures.count == 1 && failures.allSatisfy { $0.hasSuffix("failed 1") })
    #expect(try stage.core().usage.count == 3)
  }

  @Test func `D6: a notification dropped before a retry is not delivered`() throws {
    let stage = try Stage(catalog: Fixtures.notes(expires: "12h"), at: "2026-03-02 08:00")
    stage.reply = { .success($0.map { _ in .retry(after: nil, reason: "busy") }) }
    try stage.take("recipient.updated", ["locale": "en"])
    try stage.run(to: "2026-03-02 12:00")
    try stage.take("preferences.updated", ["master": false])
    try stage.run(to: "2026-03-02 16:00")
    let date = try #require(LocalDate("2026-03-02"))
    let lines = try stage.query(UsageQuery(from: date, through: date)).lines
    #expect(lines.contains { $0.hasSuffix("dropped 1 by master") }, "\(lines)")
    #expect(!lines.contains { $0.contains("delivered") })
  }

  @Test func `M2: only an opening by the notification's recipient counts as opened`() throws {
    try stage.take("relapse", of: "amina")
    try stage.take("relapse", of: "bilal")
    try stage.run(to: "2026-03-02 22:15")
    let identifier = try #require(stage.attempts.first { $0.recipient == "amina" }).identifier
    try stage.take("notification.opened", ["notification": .string(identifier)], of: "amina")
    try stage.take("notification.opened", ["notification": .string(identifier)], of: "bilal")
    try stage.take("notification.opened", ["notification": "no-7"], of: "amina")
    #expect(
      try lines("2026-03-02", "2026-03-02").filter { $0.contains("opened") } == [
        "CHECKIN push 22 opened 1"
      ])
  }

  @Test func `M2: a cleared notification counts as dismissed once`() throws {
    try stage.take("relapse", of: "amina")
    try stage.run(to: "2026-03-05 09:00")
    let entries = try #require(try stage.history()?.entries)
    try #require(entries.count > 2)
    try stage.write(.dismiss(entries[0].identifier))
    try stage.write(.clear)
    try stage.write(.clear)
    let lines = try lines("2026-03-05", "2026-03-05").filter { $0.contains("dismissed") }
    let counts = lines.compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
    #expect(counts.reduce(0, +) == entries.count)
    #expect(lines.allSatisfy { $0.contains(" push 9 dismissed") })
    #expect(lines.contains { $0.hasPrefix("CHECKIN") })
  }

  @Test func `M2: hours and dates are in the recipient's zone`() throws {
    try stage.take("recipient.updated", ["timezone": "Pacific/Auckland"])
    try stage.run(to: "2026-03-03 08:00")
    // 21:00 in Auckland is 08:00 UTC.
    #expect(
      try lines("2026-03-03", "2026-03-03").filter { $0.hasPrefix("CHECKIN") } == [
        "CHECKIN push 21 planned 1", "CHECKIN push 21 sent 1",
        "CHECKIN push 21 delivered 1",
      ])
  }

  @Test func `M2: a held occurrence counts once, and as sent at its actual hour`() throws {
    try stage.take(
      "preferences.updated", ["quietHours": ["enabled": true, "start": "20:00", "end": "23:00"]])
    try stage.run(to: "2026-03-02 21:30")
    try stage.take("preferences.updated", ["quietHours": ["end": "23:30"]])
    try stage.run(to: "2026-03-03 06:00")
    #expect(
      try lines("2026-03-02", "2026-03-02") == [
        "CHECKIN push 21 planned 1", "CHECKIN push 21 held 1", "CHECKIN push 23 sent 1",
        "CHECKIN push 23 delivered 1",
      ])
  }

  @Test func `M2: dropped occurrences are counted by reason`() throws {
    try stage.take("relapse")
    try stage.restart(at: utc("2026-03-04 20:00"))
    try stage.run(to: stage.now)
    let lines = try lines("2026-03-02", "2026-03-05").filter { $0.hasPrefix("CHECKIN") }
    #expect(
      lines == [
        "CHECKIN push 20 dropped 2", "CHECKIN push 20 dropped 1 by expired",
        "CHECKIN push 20 dropped 1 by missed", "CHECKIN push 21 planned 2",
      ])
  }

  @Test func `M2: a switch counts once where it takes effect`() throws {
    try stage.take("preferences.updated", ["categories": ["LESSON": ["push": false]]])
    try stage.take("preferences.updated", ["categories": ["LESSON": ["push": false]]])
    try stage.take("preferences.updated", ["categories": ["LESSON": ["push": true]]])
    #expect(try lines("2026-03-02", "2026-03-02") == ["LESSON push 9 switched_off 1"])
    // The channel's switch counts for each category that was still on.
    try stage.take("preferences.updated", ["channels": ["push": false]])
    let off = try lines("2026-03-02", "2026-03-02").filter { $0.contains("switched_off") }
    #expect(off.contains("CHECKIN push 9 switched_off 1"))
    #expect(off.contains("LESSON push 9 switched_off 2"))
  }

  @Test func `M2: applied presets are counted`() throws {
    let presets = stage.planner.catalog.presets.map(\.name)
    try #require(presets.contains("minimal"))
    try stage.take("preset.applied", ["preset": "minimal"])
    try stage.take("preset.applied", ["preset": "minimal"], of: "bilal")
    let date = stage.planner.defaultZone.date(at: stage.now)
    let usage = try stage.query(UsageQuery(from: date, through: date))
    #expect(usage.presets == ["minimal": 2])
  }

  @Test func `M2: a burst is counted in a few rows`() throws {
    let events = try (0..<500).map {
      try Fixtures.event("\($0)", "relapse", of: "u\($0)", at: stage.now, planner: stage.planner)
    }
    _ = try stage.submit(events)
    try stage.run(to: "2026-03-02 21:00")
    let counts = try stage.database().read { database in
      try Int.fetchAll(database, sql: "SELECT count FROM usage")
    }
    #expect(counts == [500, 500, 500])
    #expect(try stage.core().usage.values.sorted() == [500, 500, 500])
  }

  @Test func `M2: stored counts survive a crash`() throws {
    try stage.take("relapse")
    try stage.run(to: "2026-03-02 21:00")
    try stage.crash()
    #expect(try lines("2026-03-02", "2026-03-02").count == 3)
    // Prometheus counters restart with the process, as Prometheus expects.
    #expect(try stage.core().usage.isEmpty)
  }

  @Test func `M2: an opened notification counts on each of its channels`() {
    var usage = Usage()
    let hour = LocalHour(date: LocalDate(daysSinceEpoch: 0), hour: 8)
    usage.add(.opened, category: "LESSON", channels: [.init(.push), .init(.inapp)], at: hour)
    #expect(
      UsageTable(usage.counts).lines == ["LESSON push 8 opened 1", "LESSON inapp 8 opened 1"])
  }
}

extension UsageTable {
  var lines: [String] {
    rows.flatMap { row -> [String] in
      let key = "\(row.category) \(row.channel) \(row.hour)"
      let counts = UsageMeasure.allCases.compactMap { measure in
        row.counts[measure].map { "\(key) \(measure.rawValue) \($0)" }
      }
      let drops = Gate.allCases.compactMap { gate in
        row.drops[gate].map { "\(key) dropped \($0) by \(gate.reason)" }
      }
      return counts + drops
    }
  }
}
