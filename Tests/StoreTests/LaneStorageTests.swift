import CivilTime
import Reminders
import Store
import TestSupport
import Testing

@testable import SQLiteStore

/// The cursors, retries and dead letters of SQLite's lanes.
@Suite struct LaneStorageTests {
  let directory: TemporaryDirectory
  let store: SQLiteStore

  init() throws {
    directory = try TemporaryDirectory()
    store = try SQLiteStore(directory: directory.path)
    try store.take(Fixtures.event("1", recipient: "amina"))
    try store.take(Fixtures.event("2", recipient: "bilal"))
    let channels: ChannelSet = [.init(.push), .init(.email)]
    for key in 1...4 {
      try store.record(
        Fixtures.record(row: key > 2 ? 2 : 1, key: Int64(key), channels: channels))
    }
  }

  private func delivery(_ notification: Int64, _ channel: Channel = .push) throws -> Delivery {
    let all = try store.deliveries().deliveries
    return try #require(all.first { $0.notification == notification && $0.channel == channel })
  }

  private func saveRetry(
    _ notification: Int64, _ channel: Channel = .push, sink: String = "journal",
    attempts: Int = 1, due: Int?, deaths: Int = 0
  ) throws {
    let retry = Retry(
      sink: sink, delivery: try delivery(notification, channel), attempts: attempts,
      deaths: deaths)
    let due = due.map { Fixtures.noon + .minutes($0) }
    try store.transaction { try $0.save { $0.wait(retry, due: due, reason: "busy") } }
  }

  private func due(by minute: Int, sink: String = "journal", limit: Int = 100) throws -> [String] {
    let now = Fixtures.noon + .minutes(minute)
    return try store.transaction {
      try $0.dueRetries(of: sink, now: now, limit: limit, batchMax: { _ in .max })
    }.map {
      "\($0.delivery.notification) \($0.delivery.channel) \($0.attempts)"
    }
  }

  private func next(_ sink: String = "journal") throws -> Instant? {
    try store.transaction { try $0.nextRetries(of: [sink])[sink] }
  }

  private func count(_ sink: String = "journal") throws -> Int {
    try store.transaction { try $0.retryCount(of: sink, limit: LaneBacklog.countMax) }
  }

  private func lanes() throws -> [String: StoredLane] {
    try store.transaction { try $0.lanes() }
  }

  @Test func `each sink has a cursor`() throws {
    #expect(try lanes() == [:])
    let push = ChannelSet(.push)
    try store.transaction { transaction in
      try transaction.save(StoredLane(cursor: 3, channels: push, lastDispatched: 3), of: "journal")
      try transaction.save(StoredLane(cursor: 1, channels: .all, lastDispatched: 2), of: "jsonl")
      try transaction.saveCursor(of: "journal", through: 4)
      try transaction.saveLastDispatched(of: "journal", through: 7)
    }
    #expect(
      try lanes() == [
        "journal": StoredLane(cursor: 4, channels: push, lastDispatched: 7),
        "jsonl": StoredLane(cursor: 1, channels: .all, lastDispatched: 2),
      ])
    #expect(try store.transaction { $0.lastNotification } == 4)
    try store.transaction { try $0.deleteLane(of: "journal") }
    #expect(try lanes().keys.sorted() == ["jsonl"])
  }

  @Test func `D2: a sink's retries on a channel move to another sink`() throws {
    try saveRetry(1, due: 10)
    try saveRetry(2, .email, attempts: 5, due: 20)
    try saveRetry(2, sink: "jsonl", attempts: 5, due: 30)
    try store.transaction { try $0.moveRetries(of: "journal", on: .push, to: "jsonl") }
    #expect(try due(by: 60) == ["2 email 5"])
    #expect(try due(by: 60, sink: "jsonl") == ["1 push 0", "2 push 5"])
    try store.transaction { try $0.moveRetries(of: "journal", on: .email, to: nil) }
    #expect(try due(by: 60) == [])
    let letters = try store.transaction { try $0.deadLetters(of: nil, after: nil, limit: 9) }
    #expect(letters.map(\.reason) == ["no sink carries email"])
  }

  @Test func `D2: a lane's backlog on a channel becomes another sink's retries`() throws {
    try saveRetry(4, due: nil)
    try store.transaction { transaction in
      for (channel, sink) in [(Channel.push, "new"), (.email, nil)] {
        try transaction.moveBacklog(
          of: channel, after: 2, from: "journal", to: sink, now: Fixtures.noon)
      }
    }
    #expect(try due(by: 0, sink: "new") == ["3 push 0"])
    let letters = try store.transaction { try $0.deadLetters(of: nil, after: nil, limit: 9) }
    #expect(
      letters.map { "\($0.delivery.notification) \($0.delivery.channel) \($0.sink)" }
        == ["3 email journal", "4 push journal", "4 email journal"])
  }

  @Test(arguments: [true, false])
  func `D1: a delivery in flight without an answer becomes a retry`(hasCrashed: Bool) throws {
    try saveRetry(2, .email, due: 30)
    try saveRetry(4, .email, sink: "mail", due: 0)
    try saveRetry(4, sink: "mail", due: 0)
    let marked = try delivery(4, .email)
    let unmarked = try delivery(4)
    try store.transaction { transaction in
      #expect(try transaction.beginBoot() == false)
      try transaction.save(
        StoredLane(cursor: 1, channels: [.init(.push), .init(.email)], lastDispatched: 3),
        of: "journal")
      var changes = DeliveryChanges()
      for delivery in [marked, unmarked] { changes.dispatch(delivery) }
      changes.requeue(unmarked)
      try transaction.save(changes)
      let orphans = try transaction.takeOrphans(now: Fixtures.noon, hasCrashed: hasCrashed)
      #expect(orphans == ["journal": 3, "mail": 1])
      #expect(try transaction.lanes()["journal"]?.cursor == 3)
      #expect(try transaction.takeOrphans(now: Fixtures.noon, hasCrashed: hasCrashed) == [:])
      let suspects = try transaction.suspects(deaths: 1).map {
        "\($0.sink) \($0.delivery.notification) \($0.delivery.channel) \($0.deaths)"
      }
      let expected = [
        "journal 2 push 1", "journal 3 push 1", "journal 3 email 1", "mail 4 email 1",
      ]
      #expect(Set(suspects) == Set(hasCrashed ? expected : []))
    }
    #expect(try due(by: 0) == ["2 push 0", "3 push 0", "3 email 0"])
    #expect(try due(by: 0, sink: "mail") == ["4 push 1", "4 email 1"])
  }

  @Test func `a start recognizes an orderly stop of the previous process`() throws {
    let begin = { try store.transaction { try $0.beginBoot() } }
    #expect(try begin() == false)
    #expect(try begin() == false)
    try store.transaction { try $0.recordStop() }
    #expect(try begin() == true)
    #expect(try begin() == false)
  }

  @Test func `D2: the more crashes retries have, the fewer are in a batch`() throws {
    try saveRetry(1, due: 1)
    try saveRetry(2, due: 2, deaths: 1)
    try saveRetry(3, due: 3)
    try saveRetry(4, due: 4, deaths: 2)
    func batch(after endedCount: Int, _ batchMax: @escaping (Int) -> Int) throws -> [Int64] {
      for number in 0..<endedCount {
        let finished = try delivery(Int64(number) + 1)
        try store.transaction { try $0.save { $0.end(finished) } }
      }
      return try store.transaction {
        try $0.dueRetries(
          of: "journal", now: Fixtures.noon + .hours(1), limit: 9, batchMax: batchMax)
      }.map(\.delivery.notification)
    }
    let limits = [9, 2, 1]
    #expect(try batch(after: 0) { limits[$0] } == [1, 2])
    #expect(try batch(after: 1) { limits[$0] } == [2, 3])
    #expect(try batch(after: 2) { limits[$0] } == [3])
    #expect(try batch(after: 3) { limits[$0] } == [4])
  }

  @Test func `T6: the times of retries can be made earlier`() throws {
    try saveRetry(1, due: 10)
    try saveRetry(2, due: nil)
    try saveRetry(3, sink: "jsonl", due: 20)
    try store.transaction { try $0.shiftRetries(by: .minutes(15)) }
    #expect(try next() == Fixtures.noon - .minutes(5))
    #expect(try next("jsonl") == Fixtures.noon + .minutes(5))
    #expect(try count() == 1)
  }

  @Test func `due retries are read in the order of their times`() throws {
    try saveRetry(1, due: 30)
    try saveRetry(2, .email, attempts: 4, due: 10)
    try saveRetry(2, due: 20)
    try saveRetry(3, sink: "jsonl", due: 1)
    #expect(try next() == Fixtures.noon + .minutes(10))
    #expect(try due(by: 9) == [])
    #expect(try due(by: 10) == ["2 email 4"])
    #expect(try due(by: 60) == ["2 email 4", "2 push 1", "1 push 1"])
    #expect(try due(by: 60, limit: 2) == ["2 email 4", "2 push 1"])
    #expect(try due(by: 60, sink: "jsonl") == ["3 push 1"])
    #expect(try count() == 3)
  }

  @Test func `a retry is read with its delivery`() throws {
    try saveRetry(3, .email, attempts: 2, due: 0)
    let retries = try store.transaction {
      try $0.dueRetries(of: "journal", now: Fixtures.noon, limit: 1, batchMax: { _ in .max })
    }
    #expect(retries.map(\.delivery) == [try delivery(3, .email)])
    #expect(retries.map(\.sink) == ["journal"])
  }

  @Test func `a retry that fails again replaces itself`() throws {
    try saveRetry(1, due: 10)
    try saveRetry(1, attempts: 2, due: 20)
    #expect(try due(by: 60) == ["1 push 2"])
    #expect(try count() == 1)
  }

  @Test func `D2: a dead letter is kept and never due`() throws {
    try saveRetry(1, attempts: 10, due: nil)
    #expect(try next() == nil)
    #expect(try due(by: 1_000_000) == [])
    #expect(try count() == 0)
    let letters: [String] = try ask(
      directory, "SELECT sink || notification || reason FROM retry WHERE due IS NULL")
    #expect(letters == ["journal1busy"])
  }

  @Test func `a finished retry is removed`() throws {
    try saveRetry(1, due: 10)
    try saveRetry(1, .email, due: 10)
    let finished = try delivery(1)
    try store.transaction { try $0.save { $0.end(finished) } }
    #expect(try due(by: 60) == ["1 email 1"])
  }

  @Test func `a delivery waits for one sink at a time`() throws {
    try saveRetry(1, due: 10)
    try saveRetry(1, sink: "jsonl", attempts: 0, due: 20)
    #expect(try due(by: 60) == [])
    #expect(try due(by: 60, sink: "jsonl") == ["1 push 0"])
  }

  @Test func `a lane reads only the channels it carries`() throws {
    let read = try store.deliveries(after: 1, limit: 2, on: ChannelSet(.email))
    #expect(read.deliveries.map { "\($0.notification) \($0.channel)" } == ["2 email", "3 email"])
    #expect(read.through == 3)
  }

  @Test func `a retry after the cursor is deleted, since the lane reads its delivery`() throws {
    try saveRetry(1, due: 10)
    try saveRetry(3, attempts: 0, due: 20)
    try saveRetry(3, .email, attempts: 0, due: 20)
    let hasDeleted = try store.transaction {
      try $0.deleteRetries(of: "journal", after: 2, on: ChannelSet(.push))
    }
    #expect(hasDeleted)
    #expect(try due(by: 60) == ["1 push 1", "3 email 0"])
  }

  @Test func `H4: an erased recipient's retries are removed`() throws {
    try saveRetry(1, due: 10)
    try saveRetry(2, due: nil)
    try saveRetry(3, due: 20)
    let amina = try #require(try store.recipient("amina"))
    try store.transaction { try $0.erase(amina, at: Fixtures.noon) }
    #expect(try next() == Fixtures.noon + .minutes(20))
    #expect(try count() == 1)
    #expect(try ask(directory, "SELECT notification FROM retry") == [3])
  }
}
