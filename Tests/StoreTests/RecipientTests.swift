import CivilTime
import Store
import TestSupport
import Testing

@testable import Reminders
@testable import SQLiteStore

/// Recipients are read as they were written.
@Suite struct RecipientTests {
  let directory: TemporaryDirectory
  let store: SQLiteStore

  init() throws {
    directory = try TemporaryDirectory()
    store = try SQLiteStore(directory: directory.path)
  }

  private func someFacts() -> Facts {
    var facts = Facts()
    facts.created = Stamp(time: Fixtures.noon, order: 1)
    facts.profile = [
      .init(field: .timezone, value: "Asia/Kathmandu", stamp: Stamp(time: Fixtures.noon, order: 7))
    ]
    facts.settings = [
      .init(path: Symbol("master"), value: 0, stamp: Stamp(time: Fixtures.noon, order: 8))
    ]
    facts.marks = [Mark(type: Symbol("relapse"), at: Stamp(time: Fixtures.noon, order: 9))]
    return facts
  }

  private func someProgress() -> Progress {
    var progress = Progress(cutoff: Fixtures.noon)
    progress.finished = [.init(reminder: Symbol("note"), key: -3, message: 2)]
    progress.inProgress = [
      .init(
        reminder: Symbol("note"), key: 4, channelGroup: .interrupting, planned: Fixtures.noon,
        due: Fixtures.noon + .hours(1),
        holds: GateTrace(rawValue: 9))
    ]
    return progress
  }

  @Test(arguments: ["a", "amina", "آمنة بنت وهب", String(repeating: "ü", count: 64), "a'; DROP"])
  func `a recipient is read as it was written`(name: String) throws {
    let recipient = Recipient(name: name, facts: someFacts(), progress: someProgress())
    let schedule = Schedule(due: Fixtures.noon + .hours(1), pending: 3)
    let row = try store.transaction { transaction in
      let stored = transaction.admit(recipient)
      try transaction.save([stored], [schedule])
      return stored.row
    }
    let read = try #require(try store.recipient(name))
    #expect(read.recipient == recipient)
    #expect(read.row == row)
    #expect(read.pending == 3)
    #expect(read.due == schedule.due)
    #expect(try store.transaction { try $0.recipient(row: row) }?.recipient == recipient)
  }

  @Test func `a new recipient has nothing pending`() throws {
    let stored = try store.transaction {
      try $0.insert(Recipient(name: "amina", now: Fixtures.noon))
    }
    #expect(stored.due == nil)
    let read = try #require(try store.recipient("amina"))
    #expect(read.due == nil && read.pending == 0 && read.lastEvent == 0)
    #expect(try store.recipient("AMINA") == nil)
  }

  @Test func `schedules are read in the order of rows`() throws {
    for number in 1...5 {
      try store.transaction { transaction in
        let stored = transaction.admit(Recipient(name: "u\(number)", now: Fixtures.noon))
        let due = number == 3 ? nil : Fixtures.noon - .hours(number)
        try transaction.save([stored], [Schedule(due: due, pending: number)])
      }
    }
    var rows: [String] = []
    try store.transaction { transaction in
      try transaction.forEachSchedule(in: 0...9) { row, schedule in
        rows.append("\(row) \(schedule.pending) \(schedule.due.map { "\($0)" } ?? "-")")
      }
    }
    #expect(
      rows == [
        "1 1 2026-03-02T11:00:00.000Z", "2 2 2026-03-02T10:00:00.000Z", "3 3 -",
        "4 4 2026-03-02T08:00:00.000Z", "5 5 2026-03-02T07:00:00.000Z",
      ])
  }

  @Test func `saving one recipient leaves another unchanged`() throws {
    let (first, second) = try store.transaction { transaction in
      (
        try transaction.insert(Recipient(name: "a", now: Fixtures.noon)),
        try transaction.insert(Recipient(name: "b", now: Fixtures.noon))
      )
    }
    var changed = first
    changed.recipient = Recipient(name: "a", facts: someFacts(), progress: someProgress())
    changed.lastEvent = 77
    changed.hasUnsavedFacts = true
    try store.transaction { try $0.save([changed], [Schedule(due: nil, pending: 9)]) }
    #expect(try store.recipient("a")?.recipient == changed.recipient)
    #expect(try store.recipient("a")?.lastEvent == 77)
    #expect(try store.recipient("b")?.recipient == second.recipient)
    #expect(try store.recipient("b")?.pending == 0)
  }

  @Test func `new and known recipients are saved together`() throws {
    let existing = try store.transaction { transaction in
      try (1...40).map { try transaction.insert(Recipient(name: "u\($0)", now: Fixtures.noon)) }
    }
    try store.transaction { transaction in
      var batch =
        existing
        + (41...90).map {
          transaction.admit(Recipient(name: "u\($0)", now: Fixtures.noon))
        }
      for index in batch.indices {
        batch[index].lastEvent = Int64(index + 1)
        if index % 2 == 0 { batch[index].hasUnsavedFacts = true }
      }
      try transaction.save(batch, batch.indices.map { Schedule(due: nil, pending: $0) })
    }
    for number in 1...90 {
      let read = try #require(try store.recipient("u\(number)"))
      // Only every other known recipient has new facts.
      #expect(read.lastEvent == (number > 40 || number % 2 == 1 ? Int64(number) : 0))
      #expect(read.pending == number - 1)
    }
  }

  @Test func `a note is replaced by a later one`() throws {
    try store.transaction { try $0.saveNote("plan", "one") }
    try store.transaction { try $0.saveNote("plan", "two") }
    #expect(try store.transaction { try $0.note("plan") } == "two")
    #expect(try store.transaction { try $0.note("other") } == nil)
  }
}
