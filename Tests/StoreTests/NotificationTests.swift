import CivilTime
import GRDB
import Reminders
import Store
import TestSupport
import Testing

@testable import SQLiteStore

/// Outcomes of occurrences are unique, are numbered in order, and are read back as deliveries.
@Suite struct NotificationTests {
  let directory: TemporaryDirectory
  let store: SQLiteStore

  init() throws {
    directory = try TemporaryDirectory()
    store = try SQLiteStore(directory: directory.path)
    try store.take(Fixtures.event("1", recipient: "amina"))
    try store.take(Fixtures.event("2", recipient: "bilal"))
  }

  private func deliveries(after cursor: Int64 = 0, limit: Int = 100) throws -> [String] {
    try store.deliveries(after: cursor, limit: limit).deliveries.map {
      "\($0.notification) \($0.recipient) \($0.channel)"
    }
  }

  @Test func `an occurrence has one outcome`() throws {
    #expect(try store.record(Fixtures.record(key: 1)) == 1)
    #expect(try store.record(Fixtures.record(key: 1)) == nil)
    #expect(try store.record(Fixtures.record(key: 1, body: "other")) == nil)
    #expect(try store.record(Fixtures.record(key: 2)) == 2)
    #expect(try store.record(Fixtures.record(row: 2, key: 1)) == 3)
    #expect(try deliveries() == ["1 amina push", "2 amina push", "3 bilal push"])
  }

  @Test func `the schema rejects a second outcome of an occurrence`() throws {
    try store.record(Fixtures.record(key: 1))
    let error = #expect(throws: DatabaseError.self) {
      try tamper(
        directory,
        """
        CREATE TEMP TABLE copy AS SELECT * FROM notification;
        UPDATE copy SET id = 99;
        INSERT INTO notification SELECT * FROM copy
        """)
    }
    #expect(error?.resultCode == .SQLITE_CONSTRAINT)
  }

  @Test func `a delivery is read as it was recorded`() throws {
    try store.record(Fixtures.record(key: 1, channels: [.init(.push), .init(.email)]))
    let read = try store.deliveries()
    #expect(read.through == 1)
    let expected = [Channel.push, .email].map { channel in
      var delivery = Delivery(
        instance: store.instance, notification: 1, row: 1, recipient: "amina", channel: channel,
        isSilent: false, planned: Fixtures.noon, at: Fixtures.noon + .seconds(1),
        expiry: Fixtures.noon + .hours(12),
        message: Message(reminder: "note", category: "NOTE", title: "Note", body: "A note."))
      delivery.key = 1
      return delivery
    }
    #expect(read.deliveries == expected)
    #expect(Set(expected.map(\.identifier)) == ["\(store.instance)-1"])
  }

  @Test(arguments: [Hints(), .noSound, [.customTone, .noBadge], Hints(rawValue: 63)])
  func `hints are read as they were recorded`(hints: Hints) throws {
    for isSilent in [false, true] {
      var record = Fixtures.record(key: isSilent ? 1 : 0)
      record.hints = hints
      record.isSilent = isSilent
      try store.record(record)
    }
    let read = try store.deliveries().deliveries
    #expect(read.map(\.hints) == [hints, hints])
    #expect(read.map(\.isSilent) == [false, true])
  }

  @Test(arguments: ["", "\0", "a\nb", "Übung 🕌", String(repeating: "x", count: 10_000)])
  func `every text is read as it was recorded`(text: String) throws {
    try store.record(Fixtures.record(key: 1, title: text, body: text))
    let read = try store.deliveries().deliveries
    #expect(read.map(\.title) == [text])
    #expect(read.map(\.body) == [text])
  }

  @Test func `messages with exchanged title and body are stored separately`() throws {
    try store.record(Fixtures.record(key: 1, title: "a", body: "b"))
    try store.record(Fixtures.record(key: 2, title: "b", body: "a"))
    try store.record(Fixtures.record(key: 3, title: "a", body: "b"))
    let read = try store.deliveries().deliveries
    #expect(read.map(\.title) == ["a", "b", "a"])
    #expect(try ask(directory, "SELECT count(*) FROM message") == [2])
  }

  @Test func `a dropped occurrence is not a delivery`() throws {
    try store.record(Fixtures.record(key: 1))
    try store.record(Fixtures.record(key: 2, outcome: .dropped))
    try store.record(Fixtures.record(key: 3))
    #expect(try deliveries() == ["1 amina push", "3 amina push"])
    try store.transaction {
      try $0.save { $0.settle(3, outcome: .dropped, trace: GateTrace(rawValue: 3)) }
    }
    #expect(try deliveries() == ["1 amina push"])
    #expect(try ask(directory, "SELECT trace FROM notification ORDER BY id") == [5, 5, 7])
  }

  @Test func `reading continues where it stopped`() throws {
    for key in 1...7 {
      try store.record(
        Fixtures.record(key: Int64(key), outcome: key % 3 == 0 ? .dropped : .delivered))
    }
    var read: [Int64] = []
    var cursor: Int64 = 0
    while true {
      let (deliveries, through) = try store.deliveries(after: cursor, limit: 2)
      guard let through else { break }
      read += deliveries.map(\.notification)
      cursor = through
    }
    #expect(read == [1, 2, 4, 5, 7])
    #expect(cursor == 7)
  }

  @Test func `H4: an erased recipient's notifications are removed`() throws {
    try store.record(Fixtures.record(row: 1, key: 1))
    try store.record(Fixtures.record(row: 2, key: 1))
    let amina = try #require(try store.recipient("amina"))
    try store.transaction { try $0.erase(amina, at: Fixtures.noon) }
    #expect(try deliveries() == ["2 bilal push"])
  }

  @Test func `D1: a notification's number is never used again`() throws {
    try store.record(Fixtures.record(row: 2, key: 1))
    let last = try store.record(Fixtures.record(row: 1, key: 1))
    let amina = try #require(try store.recipient("amina"))
    try store.transaction { try $0.erase(amina, at: Fixtures.noon) }
    let copy = try TemporaryDirectory()
    try directory.copy(to: copy)
    let reopened = try SQLiteStore(directory: copy.path)
    let next = try #require(try reopened.record(Fixtures.record(row: 2, key: 2)))
    #expect(next > (last ?? 0))
    #expect(try reopened.transaction { $0.lastNotification } == next)
  }
}
