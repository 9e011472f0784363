import CivilTime
import GRDB
import Holidays
import JSON
import Outbox
import Reminders
import Store
import TestSupport
import Testing

@testable import Engine
@testable import SQLiteStore

/// The status agrees with the state of the service.
@Suite struct StatusTests {
  @Test func `a disabled sink is shown with the reason`() throws {
    let stage = try Stage(at: "2026-03-02 09:00")
    #expect(try stage.status().lanes[0].failure == nil)
    stage.sink.whyDisabled = "410: https://hooks.example is gone for good; replace it"
    try stage.restart()
    let failure = "disabled: 410: https://hooks.example is gone for good; replace it"
    #expect(try stage.status().lanes[0].failure == failure)
    #expect(StatusReporter.line(try stage.status()).hasSuffix("; test fails: \(failure)"))
    #expect(try stage.core().metrics(now: stage.now).lanes.map(\.isFailing) == [true])
  }

  /// An unreadable count is not shown as zero.
  @Test(arguments: ["retry", "schedule", "notification"])
  func `an unreadable store is reported`(table: String) throws {
    let stage = try Stage(catalog: Fixtures.notes(), at: "2026-03-02 09:00")
    stage.reply = { _ in .failure(SinkOutage("gone")) }
    try stage.take("relapse")
    try stage.run(to: "2026-03-02 12:00")
    #expect(try stage.status().lanes[0].waiting == 1)
    try stage.database().writeWithoutTransaction {
      try $0.execute(sql: "ALTER TABLE \(table) RENAME TO elsewhere")
    }
    let error = #expect(throws: ServiceUnavailable.self) { try stage.status() }
    let reason = "the requested data is damaged in the store: no such table"
    #expect(error?.description.hasPrefix(reason) == true)
    let line = StatusReporter.line(try stage.core(), now: stage.now)
    #expect(line.hasPrefix("the store cannot be read: "))
  }

  @Test(arguments: [(366, false), (367, true)])
  func `T1: a time zone database older than a year is reported`(days: Int, isOld: Bool) throws {
    let released = try #require(try Fixtures.planner().zones.released)
    let now = "\(released + .days(days))".prefix(16).replacing("T", with: " ")
    let stage = try Stage(at: String(now))
    let warnings = try stage.status().dataWarnings
    #expect(warnings.contains { $0.contains("is older than a year; update") } == isOld)
  }

  @Test(arguments: [(nil, []), ("DE", []), ("ua", ["UA"])] as [(JSONValue, [String])])
  func `T1: the end of known holidays is reported only for regions in use`(
    region: JSONValue, reportedRegions: [String]
  ) throws {
    let files = [("UA", "2024-2026"), ("LK", "2024-2026"), ("DE", "2024-2035")].map {
      CalendarFile(
        path: "\($0.0).ics",
        content: Array("BEGIN:VCALENDAR\r\nX-CHIMED-YEARS:\($0.1)\r\nEND:VCALENDAR\r\n".utf8))
    }
    let base = try Fixtures.planner()
    let planner = Planner(
      catalog: base.catalog, zones: base.zones, defaultZone: base.defaultZone,
      holidays: try HolidayDatabase(files: files))
    let stage = try Stage(planner: planner, at: "2026-03-02 09:00")
    try stage.take("recipient.updated", ["holidays": region, "timezone": "UTC"])
    try stage.restart()
    let ends = try stage.status().dataWarnings.filter { $0.hasPrefix("the holidays of") }
    #expect(ends == reportedRegions.map { "the holidays of \($0) are known only through 2026" })
    let end: [JSONValue: String] = ["DE": "2036-01-01 00:00", "ua": "2027-01-01 00:00"]
    #expect(try stage.query(MetricsQuery()).holidaysEnd == end[region].map(utc))
    #expect(planner.dataWarnings(at: stage.now).contains { $0.contains("LK, UA") })
  }

  @Test func `an empty service has nothing to do`() throws {
    let stage = try Stage(at: "2026-03-02 09:00")
    let status = try stage.status()
    #expect(status.recipients == 0 && status.pending == 0 && status.next.isEmpty)
    #expect(status.lanes.map(\.sink) == ["test"])
    #expect(status.lanes[0].waiting == 0 && status.lanes[0].retrying == 0)
    #expect(try stage.core().nextWake(now: stage.now) == nil)
    try stage.run(to: "2027-01-01 00:00")
    #expect(stage.turns == 1)
  }

  @Test func `the next due reminders are listed with their recipients`() throws {
    let stage = try Stage(at: "2026-03-02 09:00")
    for number in 0..<3 { try stage.take("lesson.completed", ["day": 30], of: "u\(number)") }
    let berlin = JSONValue.object(["timezone": "Europe/Berlin"])
    try stage.take("lesson.completed", ["day": 30], of: "berlin")
    try stage.take("recipient.updated", berlin, of: "berlin")
    var next = try stage.status().next
    #expect(next.map(\.reminder) == ["daily-checkin-reminder", "daily-checkin-reminder"])
    #expect(next.map(\.recipients) == [1, 3])
    #expect(next.map { "\($0.at)" } == ["2026-03-02T20:00:00.000Z", "2026-03-02T21:00:00.000Z"])
    try stage.run(to: "2026-03-02 20:00")
    next = try stage.status().next
    let first = try #require(next.first)
    #expect(first.recipients == 3 && "\(first.at)" == "2026-03-02T21:00:00.000Z")
  }

  @Test(arguments: [["a", "b", "c"], ["b", "c", "d"]])
  func `S8: the next notifications count only recipients that no gate holds`(held: [String]) throws
  {
    let stage = try Stage(at: "2026-03-02 09:00")
    for name in ["a", "b", "c", "d"] {
      try stage.take("lesson.completed", ["day": 30], of: name)
      try stage.take(
        "preferences.updated",
        [
          "reminders": ["checkin": ["time": "03:00"]],
          "quietHours": [
            "enabled": .bool(held.contains(name)), "start": "02:00", "end": "07:00",
          ],
        ], of: name)
    }
    let next = try stage.status().next
    #expect(next.map(\.recipients) == [1] && next.map(\.hasMore) == [false])
    #expect(next.map { "\($0.at)" } == ["2026-03-03T03:00:00.000Z"])
  }

  /// Returns the shipped catalog with more channels, so that an occurrence has several channel
  /// groups.
  private static func manyGroups() throws -> String {
    try Fixtures.text(of: "imanpath").replacing(
      "channels: {push: true}", with: "channels: {push: true, email: true, inapp: true}")
  }

  /// E-mail that is collected for a daily digest is a separate channel group.
  @Test func `S1: a requested notification counts once for each of its channel groups`() throws {
    let stage = try Stage(catalog: try Self.manyGroups(), at: "2026-03-02 09:00")
    try stage.take("preferences.updated", ["email": ["frequency": "daily"]])
    let previousPending = try stage.status().pending
    for (number, channels) in [["push", "email"], ["push"], ["push", "email"], ["push"]]
      .enumerated()
    {
      try stage.take(
        "notification.requested",
        [
          "category": "LESSON", "title": "Hello", "body": "A word.",
          "at": .string("2026-03-02T15:0\(number):00Z"),
          "channels": .array(channels.map { .string($0) }),
        ])
    }
    let pending = try stage.status().pending
    #expect(pending - previousPending == 2 + 1 + 2 + 1)
  }

  /// The check-in in quiet hours is due first, and is sent after the other check-in.
  @Test func `S1: the next notifications exclude occurrences that are held when due`() throws {
    let stage = try Stage(at: "2026-03-02 09:00")
    for name in ["held", "free"] { try stage.take("lesson.completed", ["day": 30], of: name) }
    try stage.take(
      "preferences.updated",
      [
        "reminders": ["checkin": ["time": "20:00"]],
        "quietHours": ["enabled": true, "start": "19:00", "end": "23:00"],
      ], of: "held")
    let next = try stage.status().next
    #expect(next.map(\.reminder) == ["daily-checkin-reminder"])
    #expect(next.map { "\($0.at)" } == ["2026-03-02T21:00:00.000Z"])
  }

  @Test(arguments: Seeds.all, [false, true])
  func `the counters equal the row counts at any time`(seed: UInt64, hasManyGroups: Bool) throws {
    var random = SplitMix64(seed: seed)
    let catalog = hasManyGroups ? try Self.manyGroups() : nil
    for round in 0..<(hasManyGroups ? 1 : 2) {
      let planner = try Fixtures.planner(catalog: catalog)
      let days = hasManyGroups ? 4 : 12
      let population = try Population(seed: random.next(), days: days, planner: planner)
      let stage = try Stage(catalog: catalog, at: "2026-01-01 00:00")
      let digestRecipients = hasManyGroups ? ["u1", "u3"] : []
      for name in digestRecipients {
        try stage.take("preferences.updated", ["email": ["frequency": "daily"]], of: name)
      }
      try stage.play(population) {
        if random.int(in: 0..<20) == 0 { try stage.restart() }
        try stage.run(to: stage.now)
        try check(stage, "seed \(seed), round \(round), \(stage.now)")
      }
      for name in Set(population.events.map(\.recipient)).union(digestRecipients).sorted() {
        try stage.take("recipient.deleted", of: name)
        try check(stage, "seed \(seed), round \(round), without \(name)")
      }
      let status = try stage.status()
      #expect(status.recipients == 0 && status.pending == 0 && status.next.isEmpty)
    }
  }

  /// Returns the number of a recipient's pending occurrences. Expects each of them on the
  /// recipient's agenda, alone or in a digest.
  private func pending(of name: String, _ stage: Stage) throws -> Int {
    let recipient = try #require(try stage.stored(name)).recipient
    let pending = recipient.pending(now: stage.now, planner: stage.planner)
    let entries = try stage.agenda(of: name)?.entries ?? []
    let members = entries.flatMap { $0.members.isEmpty ? [$0] : $0.members }
    let catalog = stage.planner.catalog
    for occurrence in pending {
      let identifier = catalog.reminder(occurrence.reminder)?.identifier
      #expect(
        members.contains { $0.reminder == identifier && $0.planned == occurrence.planned },
        "\(identifier ?? "?") of \(occurrence.planned) is not on the agenda of \(name)")
    }
    return pending.count
  }

  private func check(_ stage: Stage, _ comment: String) throws {
    let status = try stage.status()
    let names = try stage.database().read {
      try String.fetchAll($0, sql: "SELECT name FROM recipient")
    }
    let due = try stage.database().read {
      try Int64.fetchAll($0, sql: "SELECT due FROM schedule WHERE due IS NOT NULL")
    }
    let pending = try names.map { try self.pending(of: $0, stage) }
    #expect(status.recipients == names.count, "\(comment)")
    #expect(status.pending == pending.reduce(0, +), "\(comment)")
    try checkNext(status, names, Set(due).sorted().prefix(5), stage, "\(comment)")
    #expect(status.lanes.map(\.waiting) == [0], "\(comment)")
    #expect(
      try stage.core().nextWake(now: stage.now)?.milliseconds == due.min(), "\(comment)")
  }

  /// Checks that each entry of `next` is sent at its instant, and that no notification is sent
  /// before the first entry.
  private func checkNext(
    _ status: ServiceStatus, _ names: [String], _ soonest: ArraySlice<Int64>, _ stage: Stage,
    _ comment: String
  ) throws {
    guard let last = soonest.last else {
      #expect(status.next.isEmpty, "\(comment)")
      return
    }
    let end = Instant(milliseconds: last)
    let catalog = stage.planner.catalog
    var sent: [(at: Instant, reminder: String)] = []
    for name in names {
      let recipient = try #require(try stage.stored(name)).recipient
      let firings = recipient.simulatedFirings(
        from: status.now, through: end, planner: stage.planner)
      for firing in firings
      where [.finished(.delivered), .finished(.bundled)].contains(firing.result) {
        sent.append((firing.at, catalog.reminder(firing.reminder)?.identifier ?? ""))
      }
    }
    #expect(status.next.map(\.at) == status.next.map(\.at).sorted(), "\(comment)")
    // If all recipients are counted, the first entry is the first occurrence of any of them.
    if Set(names).count <= soonest.count {
      #expect(status.next.first?.at == sent.map(\.at).min(), "\(comment)")
    }
    for next in status.next {
      #expect(sent.contains { $0 == (next.at, next.reminder) }, "\(comment): \(next)")
    }
  }

  @Test(arguments: Seeds.all)
  func `V7: each entry of the agenda happens as it is shown`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for round in 0..<4 {
      let population = try Population(seed: random.next(), days: 6, planner: try Fixtures.planner())
      let stage = try Stage(at: "2026-01-01 00:00")
      try stage.play(population)
      let names = Set(population.events.map(\.recipient)).sorted()
      let agendas = try names.compactMap { try stage.agenda(of: $0) }
      let end = stage.now + .days(35)
      // The agenda shows later occurrences alone, without the others that join them in a digest.
      let horizon = stage.now + .days(14)
      try stage.run(to: end)
      let timeline = try stage.timeline
      for agenda in agendas {
        for entry in agenda.entries where entry.at < end && entry.planned < end {
          let digest = "\(entry.at) \(agenda.recipient) digest push >"
          let line =
            entry.outcome == .bundled ? digest : entry.expectedLine(for: agenda.recipient)
          let hasHappened = timeline.contains { actual in
            actual.hasPrefix(line) || entry.at > horizon && actual.hasPrefix(digest)
          }
          #expect(hasHappened, "seed \(seed), round \(round): \(line)")
        }
      }
    }
  }
}

extension Agenda.Entry {
  /// Returns the beginning of the expected line of the timeline. The body is left out, because it
  /// is not determined while an earlier occurrence is held, and neither is the title of a category
  /// with discreet texts.
  fileprivate func expectedLine(for recipient: String) -> String {
    let about = "\(recipient) \(reminder) push"
    return outcome == .dropped
      ? "\(planned) \(about) x of \(planned) \(reasons)"
      : "\(at) \(about) > of \(planned) \(reasons) "
        + (category == "RECOVERY" ? "" : "\(title): ")
  }
}
