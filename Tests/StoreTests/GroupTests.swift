import CivilTime
import Reminders
import Store
import TestSupport
import Testing

@testable import SQLiteStore

/// Operations on batches of many rows.
@Suite struct GroupTests {
  private static let count = 100
  let directory: TemporaryDirectory
  let store: SQLiteStore

  init() throws {
    directory = try TemporaryDirectory()
    store = try SQLiteStore(directory: directory.path)
    try store.transaction { transaction in
      for number in 1...Self.count {
        _ = try transaction.insert(Recipient(name: "u\(number)", now: Fixtures.noon))
      }
    }
  }

  private func records(
    of rows: some Sequence<Int>, key: Int64 = 1, outcome: Outcome = .delivered
  ) -> [NotificationRecord] {
    rows.map { Fixtures.record(row: UInt32($0), key: key, outcome: outcome) }
  }

  private func record(_ records: [NotificationRecord]) throws -> [Int64?] {
    try store.record(records)
  }

  private func deliveredNumbers() throws -> [Int64] {
    try store.deliveries(limit: 1000).deliveries.map(\.notification)
  }

  @Test(arguments: [0, 1, 31, 32, 33, 64, 100])
  func `outcomes are numbered in their order`(count: Int) throws {
    let rows = try record(records(of: 1..<count + 1))
    #expect(rows == (1..<count + 1).map { Int64($0) })
    #expect(try deliveredNumbers() == rows.compactMap { $0 })
    #expect(try store.record(Fixtures.record(key: 2)) == Int64(count + 1))
  }

  @Test func `a second outcome is refused at any position of the batch`() throws {
    let recordedRows = [1, 20, 32, 33, 70, 99, 100]
    _ = try record(records(of: recordedRows))
    let rows = try record(records(of: 1...Self.count))
    let refused = rows.indices.filter { rows[$0] == nil }.map { $0 + 1 }
    #expect(refused == recordedRows)
    #expect(try deliveredNumbers().count == Self.count)
    #expect(try record(records(of: 1...Self.count)).allSatisfy { $0 == nil })
    #expect(Set(try deliveredNumbers()).isSuperset(of: rows.compactMap { $0 }))
  }

  @Test func `an occurrence that is twice in one batch is recorded once`() throws {
    let rows = try record(records(of: Array(1...40) + [7] + Array(41...60)))
    #expect(rows.indices.filter { rows[$0] == nil } == [40])
    #expect(try deliveredNumbers().count == 60)
  }

  @Test func `T6: deliveries replace drops at any position of the batch`() throws {
    _ = try record(records(of: [5, 50, 100], outcome: .dropped))
    let rows = try record(records(of: 1...Self.count))
    #expect(rows.allSatisfy { $0 != nil })
    #expect(try deliveredNumbers() == rows.compactMap { $0 })
    let repeated = try record(records(of: [5, 6], outcome: .dropped))
    #expect(repeated.allSatisfy { $0 == nil })
  }

  @Test(arguments: [[1, 2, 3], [2, 4, 7, 8], [1, 100], [99, 100, 101], [50], [101, 200], []])
  func `existing rows are read and missing ones are left out`(rows: [Int]) throws {
    let read = try store.transaction { try $0.recipients(rows: rows.map { UInt32($0) }[...]) }
    #expect(read.map { Int($0.row) } == rows.filter { $0 <= Self.count })
    #expect(read.map(\.recipient.name) == read.map { "u\($0.row)" })
  }

  @Test(arguments: [[3, 4, 4, 5], [3, 90, 90]])
  func `a row that is listed twice is read once`(rows: [UInt32]) throws {
    let read = try store.transaction { try $0.recipients(rows: rows[...]) }
    #expect(Set(read.map(\.row)) == Set(rows) && read.count == Set(rows).count)
  }

  @Test func `each recipient's schedule is saved`() throws {
    try store.transaction { transaction in
      let batch = try transaction.recipients(rows: ArraySlice((1...100).map { UInt32($0) }))
      try transaction.save(
        batch, batch.map { Schedule(due: Fixtures.noon + .hours(Int($0.row)), pending: 3) })
    }
    var due: [Instant?] = []
    try store.transaction { transaction in
      try transaction.forEachSchedule(in: 0...UInt32(Self.count)) { due.append($1.due) }
    }
    #expect(due == (1...Self.count).map { Fixtures.noon + .hours($0) })
  }
}
