import CivilTime
import GRDB
import GRDBSQLite
import JSON
import Outbox
import Reminders
import Store
import Testing

@testable import Engine

/// A burst of more recipients than one transaction serves.
@Suite struct BurstTests {
  private static let count = EngineCore.batchMax * 5 / 4

  private func stageWithBurst(of count: Int = count) throws -> Stage {
    let stage = try Stage(catalog: Fixtures.notes(at: "12:00"), at: "2026-03-02 09:00")
    let events = try (0..<count).map { number in
      Event(
        identifier: "\(number)", source: "test", type: "relapse", recipient: "u\(number)",
        time: try utc("2026-03-02 09:00"), isTimeGiven: true, content: .happening(number: nil))
    }
    _ = try stage.submit(events)
    return stage
  }

  @Test func `several cycles serve every recipient of a burst exactly once`() throws {
    let stage = try stageWithBurst()
    try stage.run(to: "2026-03-02 12:00")
    #expect(Set(stage.delivered.map(\.recipient)).count == Self.count)
    #expect(stage.delivered.count == Self.count)
    #expect(try stage.status().pending == Self.count)
  }

  /// Half a minute after a burst the store's cached pages are freed.
  @Test func `the memory of a burst is freed`() throws {
    let count = 20_000
    let stage = try stageWithBurst(of: count)
    try stage.run(to: "2026-03-02 12:00")
    let filled = try cachedBytes(of: stage)
    #expect(try stage.core().nextWake(now: stage.now) == utc("2026-03-02 12:00:30"))
    try stage.run(to: "2026-03-02 12:01")
    let left = try cachedBytes(of: stage)
    #expect(filled > 4_000_000 && left < 100_000, "\(filled), then \(left)")
    #expect(try stage.core().nextWake(now: stage.now) == utc("2026-03-03 12:00"))
    try stage.run(to: "2026-03-03 12:00")
    #expect(stage.delivered.count == 2 * count)
  }

  private func cachedBytes(of stage: Stage) throws -> Int {
    try stage.database().inDatabase { database in
      var (used, high): (Int32, Int32) = (0, 0)
      let status = sqlite3_db_status(
        database.sqliteConnection, SQLITE_DBSTATUS_CACHE_USED, &used, &high, 0)
      try #require(status == SQLITE_OK)
      return Int(used)
    }
  }

  @Test func `H6: a burst decided on a separate thread gives the same results`() throws {
    let (sameThread, separateThread) = (try stageWithBurst(), try stageWithBurst())
    try separateThread.core().startDecider()
    for stage in [sameThread, separateThread] { try stage.run(to: "2026-03-03 12:00") }
    #expect(separateThread.delivered.count == 2 * Self.count)
    #expect(
      separateThread.delivered.map(\.textWithNumber) == sameThread.delivered.map(\.textWithNumber))
    #expect(try separateThread.status().pending == sameThread.status().pending)
    try separateThread.core().endThreads()
  }

  /// Returns the requests of one cycle, which have recipients in common. The recipients' facts are
  /// folded at the end of the cycle.
  private static func reports(of stage: Stage) throws -> [[Event]] {
    /// Returns an event for every `step`-th recipient.
    func events(
      each step: Int, _ type: String, _ data: JSONValue = [:]
    ) throws -> [Event] {
      try stride(from: 0, to: 1_000, by: step).map { number in
        try Fixtures.event(
          "\(type)-\(number)", type, of: "u\(number)", at: stage.now, data,
          planner: stage.planner)
      }
    }
    return [
      try events(each: 1, "relapse"),
      try events(each: 3, "preferences.updated", ["reminders": ["notes": ["time": "13:00"]]])
        + events(
          each: 5, "notification.requested", ["category": "NOTE", "title": "Now", "body": "Yes."]),
      try events(each: 7, "preferences.updated", ["master": false])
        + events(each: 11, "recipient.deleted"),
      try events(each: 13, "streak.started"),
    ]
  }

  private static func isErased(_ recipient: String) -> Bool {
    (Int(recipient.dropFirst()) ?? 0).isMultiple(of: 11)
  }

  @Test func `E6: requests have the same effect in one cycle as in separate cycles`() throws {
    let stages = try (0..<3).map { _ in
      try Stage(catalog: Fixtures.notes(), at: "2026-03-02 09:00")
    }
    let (together, separateThread, oneByOne) = (stages[0], stages[1], stages[2])
    try separateThread.core().startDecider()
    for stage in [together, separateThread] {
      let requests = try Self.reports(of: stage).map { Request.submit($0, { _ in }) }
      try stage.core().turn(requests, now: stage.now)
    }
    for events in try Self.reports(of: oneByOne) { _ = try oneByOne.submit(events) }
    for stage in stages { try stage.run(to: "2026-03-02 14:00") }
    #expect(
      together.delivered.map(\.textWithNumber) == separateThread.delivered.map(\.textWithNumber))
    // A recipient erased in a cycle gets no occurrence that became due in that cycle.
    let unerasedTexts = [together, oneByOne].map { stage in
      stage.delivered.filter { !Self.isErased($0.recipient) }.map(\.textWithoutNumber).sorted()
    }
    #expect(unerasedTexts[0] == unerasedTexts[1])
    #expect(together.delivered.contains { $0.at == together.delivered[0].at + .hours(4) })
    let pending = try stages.map { try $0.status().pending }
    #expect(pending[0] > 0 && Set(pending).count == 1)
    try separateThread.core().endThreads()
  }

  @Test func `a full disk during a burst on a separate thread loses no recipient`() throws {
    let stage = try stageWithBurst()
    try stage.core().startDecider()
    let noon = try utc("2026-03-02 12:00")
    try stage.core().turn([], now: noon)
    try stage.limitPages(isFull: true)
    #expect(throws: StoreError.self) { try stage.core().turn([], now: noon) }
    try stage.limitPages(isFull: false)
    try stage.run(to: noon + .minutes(1))
    #expect(stage.delivered.count == Self.count)
    #expect(Set(stage.delivered.map(\.recipient)).count == Self.count)
    try stage.core().endThreads()
  }

  @Test func `ingestion on a separate thread accepts no event while the disk is full`() throws {
    let stage = try Stage(catalog: Fixtures.notes(), at: "2026-03-02 09:00")
    try stage.core().startDecider()
    let reports = try Self.reports(of: stage)[0]
    try stage.limitPages(isFull: true)
    #expect(throws: StoreError.self) { try stage.submit(reports) }
    try stage.limitPages(isFull: false)
    let receipts = try stage.submit(reports)
    #expect(receipts.count == 1_000)
    #expect(receipts.allSatisfy { if case .accepted = $0 { true } else { false } })
    try stage.run(to: "2026-03-03 09:00")
    #expect(Set(stage.delivered.map(\.recipient)).count == 1_000)
    try stage.core().endThreads()
  }

  @Test func `an event in the middle of a burst is answered in its cycle`() throws {
    let stage = try stageWithBurst()
    let noon = try utc("2026-03-02 12:00")
    try stage.core().turn([], now: noon)
    let last = "u\(Self.count - 1)"
    let off = try Fixtures.event(
      "off", "preferences.updated", of: last, at: noon, ["master": false], planner: stage.planner)
    let answer = AnswerBox<[Receipt]>()
    try stage.core().turn([.submit([off], answer.take)], now: noon)
    #expect(try answer.value().map(\.word) == ["accepted"])
    try stage.run(to: noon)
    // The occurrence was due when the switch was changed.
    #expect(stage.delivered.count == Self.count)
    try stage.run(to: "2026-03-03 12:00")
    #expect(stage.delivered.count == 2 * Self.count - 1)
  }

  @Test func `T5: a catalog change in the middle of a burst loses no recipient`() throws {
    let stage = try stageWithBurst()
    let later = try Fixtures.planner(catalog: Fixtures.notes(at: "15:00"))
    try stage.core().turn([.planWith(later)], now: utc("2026-03-02 11:59:59.999"))
    try stage.run(to: "2026-03-02 11:59:59.999")
    try stage.restart(planner: later)
    #expect(try stage.status().pending == Self.count)
    let evening = try Fixtures.planner(catalog: Fixtures.notes(at: "18:00"))
    try stage.run(to: "2026-03-02 14:59:59.999")
    #expect(stage.delivered.isEmpty)
    // Some recipients are replanned before 15:00, the others after.
    try stage.core().turn([.planWith(evening)], now: stage.now)
    try stage.core().turn([], now: stage.now)
    try stage.jump(to: "2026-03-02 15:00")
    try stage.run(to: "2026-03-02 15:30")
    let deliveredAt15 = stage.delivered.count
    #expect(deliveredAt15 > 0 && deliveredAt15 < Self.count)
    try stage.run(to: "2026-03-02 18:30")
    #expect(Set(stage.delivered.map(\.recipient)).count == Self.count)
    #expect(stage.delivered.count == Self.count)
  }

  @Test func `D3: a slow sink falls behind and catches up from the store`() throws {
    let stage = try stageWithBurst()
    stage.reply = nil
    for day in 2...6 { try stage.run(to: "2026-03-0\(day) 12:00") }
    #expect(try stage.status().lanes[0].waiting == 5 * Self.count)
    stage.reply = Stage.accepting
    try stage.answer()
    try stage.run(to: "2026-03-06 12:01")
    // Occurrences of earlier days expired while the sink had its first batch.
    #expect(try stage.status().lanes[0].waiting == 0)
    let today = stage.delivered.filter { "\($0.planned)".hasPrefix("2026-03-06") }
    #expect(today.count == Self.count)
    let numbers = stage.delivered.map(\.notification)
    #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
  }
}

extension Reminders.Delivery {
  fileprivate var textWithNumber: String {
    "\(notification) \(textWithoutNumber)"
  }

  /// The delivery as a text, without its number.
  fileprivate var textWithoutNumber: String {
    "\(recipient) \(channel.name) \(planned) \(at) \(message.title) \(message.body)"
  }
}
