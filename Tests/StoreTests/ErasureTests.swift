import CivilTime
import Foundation
import GRDB
import Store
import TestSupport
import Testing

@testable import Reminders
@testable import SQLiteStore

/// Rule H4: no file contains erased content.
@Suite struct ErasureTests {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  /// Stores events, notifications, retries and analytics events that contain the recipients' names.
  private func fill(_ store: SQLiteStore, seed: UInt64, recipientCount: Int) throws {
    var random = SplitMix64(seed: seed)
    var number = 0
    for _ in 0..<recipientCount * 12 {
      number += 1
      let name = Self.name(Int.random(in: 0..<recipientCount, using: &random))
      let length = [1, 5, 50, 400, 2_000].randomElement(using: &random) ?? 1
      let text = String(repeating: name + " ", count: length)
      let stored = try store.take(
        Fixtures.event("\(name) \(number)", source: name, recipient: name, data: text))
      try store.transaction { transaction in
        var stored = stored
        let change = Event(
          identifier: "", source: "", type: "", recipient: name, time: Fixtures.noon,
          isTimeGiven: true, content: .profile([ProfileChange(field: .email, value: text)]))
        stored.recipient.apply(
          change, order: Int64(number), now: Fixtures.noon, planner: try Fixtures.planner.get())
        let first = Int64(number) * 100
        stored.request(first...first + 30, text: name)
        try transaction.save([stored], [Schedule(due: stored.due, pending: stored.pending)])
        try transaction.save(try Self.base(of: name), of: stored)
      }
      let record = Fixtures.record(
        row: stored.row, key: Int64(number), title: name, body: text, isCommon: false)
      let row = try store.record(record) ?? 0
      guard number.isMultiple(of: 3) else { continue }
      let delivery = Delivery(
        instance: "", notification: row, row: stored.row, recipient: name, channel: .push,
        isSilent: false, planned: Fixtures.noon, at: Fixtures.noon, expiry: Fixtures.noon,
        message: record.message)
      try store.transaction { transaction in
        let retry = Retry(sink: "test", delivery: delivery, attempts: 1)
        try transaction.save { $0.wait(retry, due: Fixtures.noon, reason: text) }
        try transaction.append(
          [AnalyticsEvent(time: Fixtures.noon, name: name, parameters: Array(text.utf8))],
          of: stored.row)
      }
    }
  }

  /// Returns the base of a recipient whose name was reported by a removed event.
  private static func base(of name: String) throws -> FactBase {
    let planner = try Fixtures.planner.get()
    let event = StoredEvent(
      order: 1, received: Fixtures.noon, source: "test", identifier: name,
      type: "recipient.updated", time: Fixtures.noon, isTimeGiven: true,
      data: Array(#"{"name":"\#(name)"}"#.utf8))
    var base = FactBase()
    base.fold([event], of: name) { _ in planner }
    return base
  }

  private static func name(_ number: Int) -> String { "person-\(1_000 + number)-end" }

  private func erase(_ number: Int, in store: SQLiteStore) throws {
    let stored = try #require(try store.recipient(Self.name(number)))
    try store.transaction { try $0.erase(stored, at: Fixtures.noon) }
  }

  /// Returns the numbers of the recipients whose names occur in a file of the directory.
  private func recipientsNamed(in directory: TemporaryDirectory) throws -> Set<Int> {
    let search = Process()
    search.executableURL = URL(filePath: "/bin/sh")
    // The files repeat each name many thousand times, so a search in Swift would be too slow.
    search.arguments = [
      "-c", "LC_ALL=C grep -raoh 'person-[0-9]*-end' \"$1\" | LC_ALL=C sort -u", "sh",
      directory.path,
    ]
    let output = Pipe()
    search.standardOutput = output
    try search.run()
    let found = try output.fileHandleForReading.readToEnd() ?? Data()
    search.waitUntilExit()
    try #require(search.terminationStatus == 0)
    let names = Set(String(decoding: found, as: UTF8.self).split(separator: "\n").map(String.init))
    return Set((0..<100).filter { names.contains(Self.name($0)) })
  }

  @Test(arguments: Seeds.all)
  func `H4: no file contains an erased recipient`(seed: UInt64) throws {
    let store = try SQLiteStore(directory: directory.path)
    try fill(store, seed: seed, recipientCount: 60)
    let erased = Array(stride(from: 0, to: 60, by: 2))
    let others = Set(stride(from: 1, to: 60, by: 2))
    #expect(try recipientsNamed(in: directory) == Set(0..<60), "seed \(seed)")
    for number in erased { try erase(number, in: store) }
    #expect(store.isErasureOpen)
    #expect(try store.finishErasure())
    #expect(try recipientsNamed(in: directory) == others, "seed \(seed)")
    // A later change of the same pages does not write erased content back.
    for _ in 0..<2 {
      for number in others.sorted() {
        try store.take(
          Fixtures.event(UUID().uuidString, recipient: Self.name(number), data: "new"))
      }
      try store.shutDown()
    }
    #expect(try recipientsNamed(in: directory) == others, "seed \(seed)")
    #expect(try ask(directory, "PRAGMA integrity_check") == ["ok"], "seed \(seed)")
  }

  /// SQLite rarely leaves old content in unused space, so this test creates some.
  @Test func `H4: unused space of a page is zeroed`() throws {
    var store: SQLiteStore? = try SQLiteStore(directory: directory.path)
    let stored = try #require(try store?.take(Fixtures.event("1")))
    store = nil
    try tamper(
      directory,
      """
      PRAGMA secure_delete = OFF;
      INSERT INTO lane VALUES ('\(Self.name(0))', 0, 15, 0, 0);
      DELETE FROM lane;
      """)
    store = try SQLiteStore(directory: directory.path)
    #expect(try recipientsNamed(in: directory).contains(0))
    try store?.transaction { try $0.erase(stored, at: Fixtures.noon) }
    #expect(try store?.finishErasure() == true)
    #expect(try !recipientsNamed(in: directory).contains(0))
  }

  /// The first bytes of pages of 4,096 bytes, and the range of the unused bytes; nil if the page
  /// belongs to no tree.
  static let pages: [([UInt8], Range<Int>?)] = [
    // A leaf with two cells, an empty leaf, and an inner page with one cell.
    ([0x0d, 0, 0, 0, 2, 0x0f, 0, 0, 0x0f, 0x80, 0x0f, 0], 12..<0xf00),
    ([0x0a, 0, 0, 0, 0, 0x10, 0, 0], 8..<4_096),
    ([0x05, 0, 0, 0, 1, 0x0f, 0, 0, 0, 0, 0, 9, 0x0f, 0], 14..<0xf00),
    // Overflow pages: the number of the next page, then text.
    ([0, 0, 0, 9] + Array("content".utf8), nil),
    ([0x02, 0, 0, 0] + Array("\u{1}\u{f} with content".utf8), nil),
    ([0x0d, 0, 0, 0] + Array("\u{0}\u{f} with content".utf8), nil),
  ]

  @Test(arguments: pages)
  func `H4: only pages of trees have unused bytes, in a file of any size`(
    start: [UInt8], unused: Range<Int>?
  ) {
    let page = start + Array(repeating: UInt8(ascii: "x"), count: 4_096 - start.count)
    #expect(PageGaps.gap(page, isFirst: false) == unused)
  }

  @Test func `H4: the next start finishes an erasure after a crash`() throws {
    let store = try SQLiteStore(directory: directory.path)
    try fill(store, seed: 1, recipientCount: 20)
    try erase(7, in: store)
    let crashed = try TemporaryDirectory()
    try directory.copy(to: crashed)
    #expect(try recipientsNamed(in: crashed).contains(7))
    let restarted = try SQLiteStore(directory: crashed.path)
    #expect(!restarted.isErasureOpen)
    #expect(try !recipientsNamed(in: crashed).contains(7))
    #expect(try recipientsNamed(in: crashed).contains(8))
    #expect(try ask(crashed, "PRAGMA integrity_check") == ["ok"])
  }

  @Test func `H4: an erasure stays open while another connection reads the file`() throws {
    let store = try SQLiteStore(directory: directory.path)
    try fill(store, seed: 1, recipientCount: 5)
    let reader = try DatabaseQueue(path: directory.path + "/chimed.sqlite")
    try reader.writeWithoutTransaction { database in
      try database.execute(sql: "BEGIN")
      _ = try Int.fetchOne(database, sql: "SELECT count(*) FROM event")
      try erase(2, in: store)
      #expect(try !store.finishErasure())
      #expect(store.isErasureOpen)
      try database.execute(sql: "COMMIT")
    }
    try reader.close()
    #expect(try store.finishErasure())
    #expect(try !recipientsNamed(in: directory).contains(2))
  }

  /// The other program takes the lock after the cleaning, before the store records that the
  /// cleaning has ended.
  @Test func `H4: an erasure stays open when another program locks the cleaned file`() throws {
    let store = try SQLiteStore(directory: directory.path)
    try fill(store, seed: 1, recipientCount: 5)
    try erase(2, in: store)
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let other = try DatabaseQueue(
      path: directory.path + "/chimed.sqlite", configuration: configuration)
    store.queue.writeWithoutTransaction { database in
      database.trace { event in
        guard "\(event)" == "BEGIN IMMEDIATE" else { return }
        try? other.writeWithoutTransaction { try $0.execute(sql: "BEGIN EXCLUSIVE") }
      }
    }
    #expect(try !store.finishErasure())
    #expect(store.isErasureOpen)
    store.queue.writeWithoutTransaction { $0.trace(options: []) }
    try other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
    #expect(try store.finishErasure())
  }

  @Test func `H4: texts that were also sent to others are kept`() throws {
    let store = try SQLiteStore(directory: directory.path)
    let amina = try store.take(Fixtures.event("1"))
    let bilal = try store.take(Fixtures.event("2", recipient: "bilal"))
    try store.record(Fixtures.record(row: amina.row, key: 1, title: "To both"))
    try store.record(Fixtures.record(row: bilal.row, key: 1, title: "To both"))
    try store.record(
      Fixtures.record(row: amina.row, key: 2, title: "To her alone", isCommon: false))
    try store.transaction { try $0.erase(amina, at: Fixtures.noon) }
    #expect(try ask(directory, "SELECT title FROM message") == ["To both"])
    #expect(try store.deliveries().deliveries.map(\.title) == ["To both"])
    // A text that is used again is stored again.
    try store.record(Fixtures.record(row: bilal.row, key: 2, title: "To her alone"))
    #expect(try store.deliveries().deliveries.map(\.title) == ["To both", "To her alone"])
  }

  @Test func `H4: a tombstone holds the time and no name`() throws {
    let store = try SQLiteStore(directory: directory.path)
    let amina = try store.take(Fixtures.event("1"))
    #expect(try store.transaction { try $0.erasures(of: ["amina"]) } == [:])
    try store.transaction { try $0.erase(amina, at: Fixtures.noon) }
    #expect(
      try store.transaction { try $0.erasures(of: ["amina", "bilal"]) } == ["amina": Fixtures.noon])
    let other = try TemporaryDirectory()
    let second = try SQLiteStore(directory: other.path)
    let again = try second.take(Fixtures.event("1"))
    try second.transaction { try $0.erase(again, at: Fixtures.noon) }
    let hashes: [Int64] =
      try ask(directory, "SELECT name FROM tombstone") + ask(other, "SELECT name FROM tombstone")
    #expect(hashes.count == 2 && hashes[0] != hashes[1])
  }

  @Test func `H4: an erased recipient's row is not used again`() throws {
    var store: SQLiteStore? = try SQLiteStore(directory: directory.path)
    let amina = try #require(try store?.take(Fixtures.event("1")))
    try store?.transaction { try $0.erase(amina, at: Fixtures.noon) }
    store = nil
    store = try SQLiteStore(directory: directory.path)
    #expect(try store?.take(Fixtures.event("2", recipient: "bilal")).row == amina.row + 1)
  }

  /// The example from the SipHash paper.
  @Test func `the hash is SipHash`() {
    let key = SipHash.Key(first: 0x0706_0504_0302_0100, second: 0x0f0e_0d0c_0b0a_0908)
    #expect(SipHash.hash(bytes: (0..<15).map { UInt8($0) }, key: key) == 0xa129_ca61_49be_45e5)
  }
}
