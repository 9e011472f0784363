import Access
import CivilTime
import Foundation
import Reminders
import Store
import TestSupport
import Testing

@testable import SQLiteStore

/// Rows that were changed on disk are refused as damaged and never returned.
@Suite struct DamageTests {
  private static let flips = 150

  @Test(arguments: Seeds.all)
  func `a row with a flipped bit is never returned`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let original = try TemporaryDirectory()
    try FilledStore().fill(original)
    let file = try original.content(of: "chimed.sqlite")
    let originalContent = try StoreContent(original)
    try #require(originalContent.lines.count > 20 && originalContent.refusals.isEmpty)
    var refused = 0
    for _ in 0..<Self.flips {
      let (offset, bit) = try #require(Self.bit(in: file, &random))
      let directory = try TemporaryDirectory()
      var damaged = file
      damaged[offset] ^= 1 << bit
      try directory.write(damaged, to: "chimed.sqlite")
      let found = try? StoreContent(directory)
      refused += found.map { $0.refusals.isEmpty ? 0 : 1 } ?? 1
      let altered = found?.lines.subtracting(originalContent.lines) ?? []
      #expect(altered.isEmpty, "seed \(seed), byte \(offset), bit \(bit)")
    }
    #expect(refused > 0)
  }

  /// Returns the offset of a random byte that is not zero, and the number of one of its bits. Most
  /// bytes of a small store's file are unused and zero. Returns nil if no such byte is found.
  private static func bit(in file: Data, _ random: inout SplitMix64) -> (Int, UInt8)? {
    for _ in 0..<1_000 {
      let offset = Int.random(in: 0..<file.count, using: &random)
      if file[offset] != 0 { return (offset, UInt8.random(in: 0..<8, using: &random)) }
    }
    return nil
  }

  @Test(arguments: [
    ("message", "UPDATE message SET title = 'Other' WHERE id = 1"),
    ("message", "UPDATE message SET members = 'x' WHERE id = 1"),
    ("message", "UPDATE message SET discreet = 'x' WHERE id = 1"),
    ("notification", "UPDATE notification SET at = at + 1 WHERE id = 1"),
    ("notification", "UPDATE notification SET outcome = 2 WHERE id = 1"),
    ("notification", "UPDATE notification SET message = 2 WHERE id = 1"),
    ("notification", "UPDATE notification SET leader = 3 WHERE id = 1"),
    ("notification", "UPDATE notification SET previous = id"),
    ("notification", "UPDATE notification SET fallback = 8 WHERE id = 1"),
    ("recipient", "UPDATE recipient SET name = 'aminb' WHERE id = 1"),
    ("recipient", "UPDATE recipient SET facts = x'01' WHERE id = 1"),
    ("recipient", "DELETE FROM request WHERE part = 1"),
    ("request", "UPDATE request SET requests = x'01' WHERE part = 1"),
    ("request", "UPDATE request SET part = 0 WHERE part = 1"),
    ("fact_base", "UPDATE fact_base SET base = x'01'"),
    ("fact_base", "UPDATE fact_base SET recipient = 1"),
    ("fact_base", "UPDATE fact_base SET expiry = 1"),
    ("adoption", "UPDATE adoption SET at = at + 1"),
    ("adopted_text", "UPDATE adopted_text SET text = 'x'"),
    ("schedule", "UPDATE schedule SET progress = x'01' WHERE recipient = 1"),
    ("schedule", "UPDATE schedule SET due = 1 WHERE recipient = 1"),
    ("schedule", "UPDATE schedule SET recent = 7 WHERE recipient = 1"),
    ("event", "UPDATE event SET data = x'7b7d' WHERE id = 1"),
    ("event", "UPDATE event SET received = 1 WHERE id = 1"),
    ("inbox", "UPDATE inbox SET message = 2"),
    ("meta", "UPDATE meta SET value = 'x' WHERE key = 'instance'"),
    ("token", "UPDATE token SET scope = 'admin' WHERE id = 'key'"),
    ("token", "UPDATE token SET revoked = NULL WHERE id = 'key'"),
    ("lane", "UPDATE lane SET through = 2"),
    ("lane", "UPDATE lane SET channels = 1"),
    ("lane", "UPDATE lane SET sink = 'other'"),
    ("retry", "UPDATE retry SET due = due + 1 WHERE notification = 4"),
    ("retry", "UPDATE retry SET due = NULL WHERE notification = 4"),
    ("retry", "UPDATE retry SET due = 1 WHERE notification = 5"),
    ("retry", "UPDATE retry SET sink = 'other'"),
    ("retry", "UPDATE retry SET holder = 1"),
    ("retry", "UPDATE retry SET deaths = 3"),
    ("attempt", "UPDATE attempt SET verdict = 1"),
    ("attempt", "UPDATE attempt SET verdict = 77"),
    ("attempt", "UPDATE attempt SET status = NULL"),
    ("attempt", "UPDATE attempt SET number = number + 1"),
  ])
  func `the error of a damaged row names the table`(table: String, change: String) throws {
    let directory = try TemporaryDirectory()
    try FilledStore().fill(directory)
    try tamper(directory, change)
    var refusals: Set<String> = []
    do {
      refusals = try StoreContent(directory).refusals
    } catch {
      refusals = ["\(error)"]
    }
    #expect(
      refusals.contains { $0.contains("of the table \(table) is not what was written") },
      "\(refusals)")
  }

  /// Backups are checked for damaged rows that a start does not read.
  @Test(arguments: [
    ("event", "UPDATE event SET data = x'7b7d' WHERE id = 1"),
    ("message", "UPDATE message SET title = 'Other' WHERE id = 1"),
    ("notification", "UPDATE notification SET at = at + 1 WHERE id = 1"),
    ("recipient", "UPDATE recipient SET facts = x'01' WHERE id = 1"),
    ("recipient", "DELETE FROM request WHERE part = 1"),
    ("request", "UPDATE request SET requests = x'01' WHERE part = 1"),
    ("fact_base", "UPDATE fact_base SET base = x'01'"),
    ("adoption", "UPDATE adoption SET zones = 'x'"),
    ("adopted_text", "UPDATE adopted_text SET text = 'x'"),
    ("inbox", "UPDATE inbox SET message = 2"),
    ("token", "UPDATE token SET expiry = NULL WHERE id = 'key'"),
    ("meta", "UPDATE meta SET value = 'x' WHERE key = 'link key'"),
    ("lane", "UPDATE lane SET last_dispatched = 1"),
    ("retry", "UPDATE retry SET attempts = 1"),
    ("attempt", "UPDATE attempt SET reason = 'other'"),
  ])
  func `a backup with a damaged row is refused`(table: String, change: String) throws {
    let (source, target) = (try TemporaryDirectory(), try TemporaryDirectory())
    try FilledStore().fill(source)
    let (file, state) = (source.path + "/chimed.sqlite", target.path + "/state")
    let restored = try SQLiteStore.restore(file, to: state, isReplacing: false)
    #expect(restored.recipients == 2)
    try tamper(source, change)
    let error = #expect(throws: StoreError.self) {
      try SQLiteStore.restore(file, to: state, isReplacing: true)
    }
    #expect(error?.description.contains("of the table \(table) is not what was written") == true)
    #expect(try SQLiteStore(directory: state).recipient("bilal") != nil)
  }

  @Test func `S7: a missing notification is reported as damage`() throws {
    let directory = try TemporaryDirectory()
    try FilledStore().fill(directory)
    try tamper(directory, "DELETE FROM notification WHERE id = 2")
    let refusals = try StoreContent(directory).refusals
    #expect(
      refusals.contains { $0.contains("row 2 of the table notification is missing") },
      "\(refusals)")
  }

  @Test func `H7: a history that was pruned is no damage`() throws {
    let directory = try TemporaryDirectory()
    try FilledStore().fill(directory)
    let store = try SQLiteStore(directory: directory.path)
    try store.transaction { try $0.saveNote("pruned notifications", "4") }
    try tamper(directory, "DELETE FROM notification WHERE id <= 4")
    #expect(try StoreContent(store).refusals.filter { $0.contains("is missing") } == [])
  }

  @Test(arguments: ["message", "event", "meta"])
  func `S7: a missing table is reported as damage`(table: String) throws {
    let directory = try TemporaryDirectory()
    try FilledStore().fill(directory)
    try tamper(directory, "DROP TABLE \(table)")
    let error = #expect(throws: StoreError.self) {
      try SQLiteStore(directory: directory.path)
    }
    if case .damaged? = error {} else { Issue.record("\(String(describing: error))") }
  }

  @Test(arguments: [
    (
      "CREATE TRIGGER gone AFTER INSERT ON event BEGIN DELETE FROM event; END",
      "it has the trigger gone, which chimed does not make"
    ),
    ("CREATE VIEW seen AS SELECT name FROM recipient", "it has the view seen"),
    ("DROP INDEX analytics_event_recipient", "it lacks the index analytics_event_recipient"),
    (
      "ALTER TABLE token ADD COLUMN other INTEGER",
      "its table token is not as chimed makes it"
    ),
  ])
  func `S7: a backup with another schema is not restored`(change: String, fault: String) throws {
    let (source, target) = (try TemporaryDirectory(), try TemporaryDirectory())
    try FilledStore().fill(source)
    try tamper(source, change)
    let error = #expect(throws: StoreError.self) {
      try SQLiteStore.restore(
        source.path + "/chimed.sqlite", to: target.path + "/state", isReplacing: false)
    }
    #expect(error?.description.contains(fault) == true, "\(String(describing: error))")
  }

  @Test func `a row that the store itself changes is not damaged`() throws {
    let directory = try TemporaryDirectory()
    try FilledStore().fill(directory)
    let store = try SQLiteStore(directory: directory.path)
    try store.transaction { transaction in
      try transaction.save { changes in
        changes.settle(1, outcome: .dropped, trace: GateTrace(rawValue: 9))
        changes.addFallback(.email, to: 2)
      }
    }
    let found = try store.transaction { try $0.notifications([1])[1]?.past }
    #expect(found?.outcome == .dropped)
    #expect(try store.transaction { try $0.channels(of: 2) }.contains(ChannelSet(.email)))
  }

  /// An operation that changes many retries at once.
  enum Change: CaseIterable {
    case shift, move, end, backlog, orphans

    func apply(to transaction: borrowing StoreTransaction) throws {
      switch self {
      case .shift: try transaction.shiftRetries(by: .hours(1))
      case .move: try transaction.moveRetries(of: "mail", on: .push, to: "other")
      case .end: try transaction.moveRetries(of: "mail", on: .push, to: nil)
      case .backlog:
        try transaction.moveBacklog(
          of: .push, after: 0, from: "mail", to: "other", now: Fixtures.noon)
      case .orphans: try createOrphans(transaction)
      }
    }

    private func createOrphans(_ transaction: borrowing StoreTransaction) throws {
      _ = try transaction.beginBoot()
      let retries = try transaction.dueRetries(
        of: "mail", now: Fixtures.noon + .days(1), limit: 9, batchMax: { _ in 9 })
      try transaction.save { changes in
        for retry in retries {
          changes.postpone(retry.delivery, until: Fixtures.noon + .days(2))
          changes.dispatch(retry.delivery)
        }
      }
      try transaction.saveLastDispatched(of: "mail", through: 6)
      _ = try transaction.takeOrphans(now: Fixtures.noon, hasCrashed: true)
    }
  }

  /// An operation on many retries updates each one's checksum.
  @Test(arguments: Change.allCases)
  func `operations on many retries damage no row`(change: Change) throws {
    let directory = try TemporaryDirectory()
    try FilledStore().fill(directory)
    let store = try SQLiteStore(directory: directory.path)
    let before = try StoreContent(store)
    try store.transaction { try change.apply(to: $0) }
    let after = try StoreContent(store)
    #expect(after.refusals.isEmpty && after.lines != before.lines, "\(after.refusals)")
  }

  /// A change to a damaged row must not give it a valid checksum.
  @Test func `an operation on many retries refuses a damaged one`() throws {
    let directory = try TemporaryDirectory()
    try FilledStore().fill(directory)
    try tamper(directory, "UPDATE retry SET due = due + 1 WHERE notification = 4")
    let store = try SQLiteStore(directory: directory.path)
    let error = #expect(throws: StoreError.self) {
      try store.transaction { try $0.shiftRetries(by: .hours(1)) }
    }
    #expect(
      error?.description.contains("row 4, 0 of the table retry is not what was written") == true)
  }
}

/// Everything that a store returns, as lines, and all its errors.
private struct StoreContent {
  var lines: Set<String> = []
  var refusals: Set<String> = []

  init(_ directory: TemporaryDirectory) throws {
    try self.init(SQLiteStore(directory: directory.path))
  }

  init(_ store: SQLiteStore) throws {
    note { try Self.deliveries(store) }
    for name in ["amina", "bilal"] {
      note { try Self.recipient(name, store) }
      note { try Self.base(name, store) }
      note { try Self.recipientHistory(name, store) }
      note { try Self.inbox(name, store) }
      note { try Self.events(name, store) }
      note { try Self.notifications(name, store) }
    }
    for number in 1...6 as ClosedRange<Int64> { note { try Self.pastNotification(number, store) } }
    note { try Self.schedules(store) }
    note { try Self.lanes(store) }
    note { try Self.retries(store) }
    note { try Self.deadLetters(store) }
    note { try store.transaction { try $0.tokens() }.map { "\($0)" } }
    note { try Self.adoptions(store) }
  }

  private mutating func note(_ read: () throws -> [String]) {
    do {
      lines.formUnion(try read())
    } catch {
      refusals.insert("\(error)")
    }
  }

  private static func deliveries(_ store: SQLiteStore) throws -> [String] {
    try store.deliveries().deliveries.map {
      "\($0)".replacing(store.instance, with: "") + text(of: $0.message)
    }
  }

  private static func recipient(_ name: String, _ store: SQLiteStore) throws -> [String] {
    try store.recipient(name).map { ["\($0)"] } ?? []
  }

  private static func adoptions(_ store: SQLiteStore) throws -> [String] {
    try store.transaction { transaction in
      try transaction.adoptions().flatMap { adoption in
        ["\(adoption)"] + [try transaction.adoptedText(of: adoption.catalogs)].compactMap(\.self)
      }
    }
  }

  private static func base(_ name: String, _ store: SQLiteStore) throws -> [String] {
    try store.transaction { transaction in
      guard let row = try transaction.recipient(named: name)?.row else { return [] }
      return try transaction.factBases(of: [row]).values.map { "\($0)" }
    }
  }

  private static func recipientHistory(_ name: String, _ store: SQLiteStore) throws -> [String] {
    try store.transaction { transaction in
      guard let stored = try transaction.recipient(named: name) else { return [] }
      return try transaction.notificationHistory(of: stored, after: nil, limit: 100).map { entry in
        let own = entry.own
        return
          "history \(name) \(own.notification) \(own.planned) \(own.at) \(own.outcome) "
          + "\(entry.channels) \(own.reasons) \(entry.isDismissed) \(text(of: entry.message))"
      }
    }
  }

  private static func inbox(_ name: String, _ store: SQLiteStore) throws -> [String] {
    try store.transaction { transaction in
      guard let stored = try transaction.recipient(named: name) else { return [] }
      return try transaction.inbox(row: stored.row, after: nil, offset: 0, limit: 100).map {
        "inbox \(name) \($0.notification) \($0.at) \(text(of: $0.message))"
      }
    }
  }

  private static func events(_ name: String, _ store: SQLiteStore) throws -> [String] {
    try store.transaction { transaction in
      guard let stored = try transaction.recipient(named: name) else { return [] }
      return try transaction.events(of: stored.row, from: stored.lastEvent, limit: 100).events.map {
        "event \(name) \($0)"
      }
    }
  }

  private static func notifications(_ name: String, _ store: SQLiteStore) throws -> [String] {
    try store.transaction { transaction in
      guard let stored = try transaction.recipient(named: name) else { return [] }
      return try transaction.notifications(of: stored.row, after: 0, limit: 100).notifications.map {
        "export \(name) \($0.identifier.drop { $0 != "-" }) \($0.planned) \($0.at) \($0.expiry) "
          + "\($0.outcome) \($0.channels) \(text(of: $0.message))"
      }
    }
  }

  private static func pastNotification(_ number: Int64, _ store: SQLiteStore) throws -> [String] {
    try store.transaction { transaction in
      guard let found = try transaction.notifications([number])[number] else { return [] }
      let (past, row) = (found.past, found.row)
      return [
        "past \(number) of \(row) \(past.reminder) \(past.key) \(past.channelGroup) "
          + "\(past.planned) "
          + "\(past.at) \(past.expiry) \(past.outcome) \(past.trace.reasons) "
          + text(of: past.message)
      ]
    }
  }

  private static func schedules(_ store: SQLiteStore) throws -> [String] {
    try store.transaction { transaction in
      var lines: [String] = []
      try transaction.forEachSchedule(in: 0...9) { lines.append("schedule \($0) \($1)") }
      return lines
    }
  }

  private static func lanes(_ store: SQLiteStore) throws -> [String] {
    try store.transaction { try $0.lanes() }.map { "lane \($0) \($1)" }
  }

  private static func retries(_ store: SQLiteStore) throws -> [String] {
    try store.transaction { transaction in
      try ["mail", "other"].flatMap { sink in
        let due = try transaction.nextRetries(of: [sink])[sink]
        return try transaction.dueRetries(
          of: sink, now: Fixtures.noon + .days(9), limit: 9, batchMax: { _ in 9 }
        ).map {
          "retry \($0.sink) \($0.delivery.notification) \($0.attempts) \($0.deaths) \(due as Any)"
        }
      }
    }
  }

  private static func deadLetters(_ store: SQLiteStore) throws -> [String] {
    try store.transaction { try $0.deadLetters(of: nil, after: nil, limit: 9) }.map {
      "dead \($0.sink) \($0.delivery.notification) \($0.attempts) \($0.reason)"
    }
  }

  private static func text(of message: Message) -> String {
    "\(message.reminder)|\(message.category)|\(message.title)|\(message.body)|\(message.details)|"
      + message.members.joined(separator: ",")
  }
}
