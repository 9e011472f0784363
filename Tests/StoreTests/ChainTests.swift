import CivilTime
import GRDB
import Reminders
import Store
import TestSupport
import Testing

@testable import SQLiteStore

/// The chain of each recipient's notifications, and the inbox.
@Suite struct ChainTests {
  let directory: TemporaryDirectory
  let store: SQLiteStore

  init() throws {
    directory = try TemporaryDirectory()
    store = try SQLiteStore(directory: directory.path)
    for number in 1...40 {
      try store.take(Fixtures.event("\(number)", recipient: "u\(number)"))
    }
  }

  private func chain(_ row: UInt32, limit: Int = 1_000) throws -> [Int64] {
    try store.transaction { transaction in
      guard let stored = try transaction.recipient(row: row) else { return [] }
      let history = try transaction.notificationHistory(of: stored, after: nil, limit: limit)
      return history.filter(\.isLeader).map(\.own.notification)
    }
  }

  private func counts(_ row: UInt32) throws -> NotificationCounts? {
    try store.transaction { try $0.recipient(row: row)?.counts }
  }

  /// Returns the numbers of all notifications of a recipient, including further channel groups of
  /// one occurrence.
  private func wholeChain(_ row: UInt32) throws -> [Int64] {
    try store.transaction { transaction in
      try transaction.chain(of: row, from: nil, downTo: 0, limit: .max).numbers
    }
  }

  @Test func `every recipient has its own chain`() throws {
    for key in 1...3 {
      try store.record((1...40).map { Fixtures.record(row: $0, key: Int64(key)) })
    }
    for row in UInt32(1)...40 {
      #expect(try chain(row) == [80, 40, 0].map { Int64($0) + Int64(row) })
    }
    let row = try #require(try counts(7))
    #expect((row.head, row.recent, row.items) == (87, 3, 0))
  }

  @Test func `a refused record leaves no gap in the chain`() throws {
    try store.record((5...10).map { Fixtures.record(row: $0, key: 1) })
    var records = (1...40).map { Fixtures.record(row: $0, key: 1) }
    records += (5...10).map { Fixtures.record(row: $0, key: 2) }
    records.sort { ($0.row, $0.key) < ($1.row, $1.key) }
    try store.record(records)
    for row in UInt32(1)...40 {
      #expect(try chain(row).count == ((5...10).contains(row) ? 2 : 1))
      #expect(try counts(row)?.recent == chain(row).count)
    }
  }

  @Test func `a delivery that replaces a drop keeps the chain whole`() throws {
    for key in 1...5 {
      try store.record(Fixtures.record(key: Int64(key), outcome: key == 5 ? .delivered : .dropped))
    }
    try store.record([1, 3].map { Fixtures.record(key: $0) })
    #expect(try chain(1) == [7, 6, 5, 4, 2])
    try store.record(Fixtures.record(key: 4, outcome: .dropped))
    #expect(try chain(1) == [8, 7, 6, 5, 2])
    #expect(try counts(1)?.recent == 3)
  }

  @Test func `the pages of an inbox begin with the latest item`() throws {
    for key in 1...25 { try store.record(inapp(key: Int64(key))) }
    func page(_ offset: Int, _ limit: Int) throws -> [Int64] {
      try store.transaction { try $0.inbox(row: 1, after: nil, offset: offset, limit: limit) }
        .map(\.notification)
    }
    #expect(try page(0, 20) == (6...25).reversed().map { Int64($0) })
    #expect(try page(20, 20) == (1...5).reversed().map { Int64($0) })
    #expect(try page(40, 20) == [])
    #expect(try counts(1)?.unread == 25)
  }

  @Test func `a limited search returns where to continue`() throws {
    for key in 1...25 { try store.record(Fixtures.record(key: Int64(key))) }
    #expect(try chain(1, limit: 10) == (16...25).reversed().map { Int64($0) })
    try store.transaction { transaction in
      let stored = try #require(try transaction.recipient(row: 1))
      var (seen, next): ([Int64], Int64?) = ([], nil)
      repeat {
        let page = try transaction.notificationHistory(of: stored, after: next, limit: 4)
        seen += page.map(\.own.notification)
        next = page.last.flatMap { $0.previous == 0 ? nil : $0.own.notification }
      } while next != nil
      #expect(seen == (1...25).reversed().map { Int64($0) })
    }
  }

  @Test func `both channel groups of an occurrence are one entry, whichever is first`() throws {
    for (key, channelGroups) in [
      (Int64(1), [ChannelGroup.interrupting, .inapp]), (2, [.inapp, .interrupting]),
    ] {
      for channelGroup in channelGroups { try store.record(paired(key: key, channelGroup)) }
      try store.record(channelGroups.map { paired(key: key + 10, $0) })
    }
    #expect(try chain(1) == [7, 5, 3, 1])
    let counts = try #require(try counts(1))
    #expect((counts.recent, counts.items, counts.unread) == (4, 4, 4))
  }

  @Test(arguments: 1...20)
  func `after random operations, counts and chains agree with the rows`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<60 { try performSomething(&random) }
    for row in UInt32(1)...3 {
      let counts = try #require(try counts(row))
      let recent: [Int64] = try ask(
        directory,
        """
        SELECT count(*) FROM notification WHERE recipient = \(row) AND outcome = 1
          AND leader = 0 AND dismissed IS NULL AND id > \(counts.cleared)
        """)
      let leaders: [Int64] = try ask(
        directory,
        "SELECT id FROM notification WHERE recipient = \(row) AND leader = 0 ORDER BY id DESC")
      let items: [Int64] = try ask(
        directory, "SELECT count(*) FROM inbox WHERE recipient = \(row)")
      let unread: [Int64] = try ask(
        directory, "SELECT count(*) FROM inbox WHERE recipient = \(row) AND read IS NULL")
      let all: [Int64] = try ask(
        directory, "SELECT id FROM notification WHERE recipient = \(row) ORDER BY id DESC")
      #expect(try chain(row) == leaders, "seed \(seed)")
      #expect(try wholeChain(row) == all, "seed \(seed)")
      #expect([Int64(counts.recent)] == recent, "seed \(seed)")
      #expect([Int64(counts.items)] == items, "seed \(seed)")
      #expect([Int64(counts.unread)] == unread, "seed \(seed)")
    }
  }

  private func performSomething(_ random: inout SplitMix64) throws {
    let row = UInt32.random(in: 1...3, using: &random)
    let notification = Int64.random(in: 1...60, using: &random)
    let choice = Int.random(in: 0..<12, using: &random)
    guard choice >= 8 else {
      var records = (0..<Int.random(in: 1...5, using: &random)).map { _ in
        let key = Int64.random(in: 1...30, using: &random)
        var record = paired(key: key, random.next().isMultiple(of: 2) ? .inapp : .interrupting)
        record.row = UInt32.random(in: 1...3, using: &random)
        if random.next().isMultiple(of: 4) { record.outcome = .dropped }
        if random.next().isMultiple(of: 4), key > 1 { record.opener = key - 1 }
        return record
      }
      records.sort { $0.row < $1.row }
      try store.record(records)
      return
    }
    try store.transaction { transaction in
      guard var stored = try transaction.recipient(row: row) else { return }
      switch choice {
      case 8: _ = try transaction.markAsRead(notification, of: &stored, now: Fixtures.noon)
      case 9: try transaction.dismiss(notification, of: &stored, now: Fixtures.noon)
      case 10: try transaction.markAllAsRead(of: &stored, now: Fixtures.noon)
      default: _ = try transaction.clear(&stored)
      }
      try transaction.save([stored], [Schedule(due: nil, pending: 0)])
    }
  }

  private func inapp(key: Int64) -> NotificationRecord { paired(key: key, .inapp) }

  private func paired(key: Int64, _ channelGroup: ChannelGroup) -> NotificationRecord {
    var record = Fixtures.record(
      key: key, channels: ChannelSet(channelGroup == .inapp ? .inapp : .push))
    record.channelGroup = channelGroup
    record.hasOtherGroups = true
    return record
  }
}
