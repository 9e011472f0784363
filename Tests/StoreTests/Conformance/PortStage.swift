import CivilTime
import MemoryStore
import PostgresServer
import PostgresStore
import Reminders
import SQLiteStore
import Store
import TestSupport

/// The stores that must behave alike.
enum StoreKind: CaseIterable, Sendable {
  case memory, sqlite, postgresql

  /// The stores available here. `PostgresStoreTests` fail if PostgreSQL is missing.
  static let allCases: [StoreKind] =
    PostgresServer.isAvailable ? [.memory, .sqlite, .postgresql] : [.memory, .sqlite]
}

/// A store of one kind, used only through its port.
struct PortStage {
  let store: any Store
  /// Keeps the store's directory or database alive.
  private let storage: AnyObject?

  init(_ kind: StoreKind) throws {
    switch kind {
    case .memory:
      storage = nil
      store = MemoryStore()
    case .sqlite:
      let directory = try TemporaryDirectory.inMemory()
      storage = directory
      store = try SQLiteStore(directory: directory.path)
    case .postgresql:
      let database = try TemporaryPostgresDatabase()
      storage = database
      store = try PostgresStore.making(in: database)
    }
  }

  /// Creates a store with recipients of these names, in rows from 1 on. One event creates each
  /// recipient.
  init(_ kind: StoreKind, of names: String...) throws {
    try self.init(kind)
    for name in names { _ = try take(Fixtures.event("first of \(name)", recipient: name)) }
  }

  /// Ingests an event as the engine does.
  @discardableResult
  func take(_ event: Event, received: Instant? = nil) throws -> EventMatch {
    try store.commit { try take(event, received: received, in: $0) }
  }

  @discardableResult
  func take(
    _ event: Event, received: Instant? = nil, in transaction: any StoreWriter
  ) throws -> EventMatch {
    let match = try transaction.match(event, at: try transaction.lookups(of: [[event]])[0])
    guard case .new(let slot) = match else { return match }
    let known = try transaction.recipient(named: event.recipient)
    var stored = known ?? transaction.admit(Recipient(name: event.recipient, now: event.time))
    stored.lastEvent = try transaction.append(
      event, slot: slot, row: stored.row, previous: stored.lastEvent,
      received: received ?? event.time)
    stored.hasUnsavedFacts = true
    try transaction.save([stored], [Schedule(due: stored.due, pending: stored.pending)])
    return match
  }

  /// Records notifications, and returns their numbers; nil for those that the store has refused.
  @discardableResult
  func record(_ records: NotificationRecord...) throws -> [Int64?] { try record(records) }

  @discardableResult
  func record(_ records: [NotificationRecord]) throws -> [Int64?] {
    try store.commit { transaction in
      var batch = try transaction.recipients(rows: Set(records.map(\.row)).sorted()[...])
      let numbers = try transaction.record(records, of: &batch)
      try save(batch, in: transaction)
      return numbers
    }
  }

  /// Changes a recipient and saves it.
  @discardableResult
  func change<Value>(
    _ row: UInt32 = 1, _ body: (any StoreWriter, inout StoredRecipient) throws -> Value
  ) throws -> Value {
    try store.commit { transaction in
      guard var stored = try transaction.recipient(row: row) else { throw Unexpected() }
      let value = try body(transaction, &stored)
      try save([stored], in: transaction)
      return value
    }
  }

  func erase(_ row: UInt32 = 1, at time: Instant = Fixtures.noon) throws {
    try store.commit { transaction in
      guard let stored = try transaction.recipient(row: row) else { throw Unexpected() }
      try transaction.erase(stored, at: time)
    }
  }

  /// Lets a cleaner finish its work.
  ///
  /// - Returns: the number of erasures whose data are gone from the files.
  func clean(with cleaner: any StoreCleaner) throws -> Int {
    while true {
      if case .done(let erasures) = try cleaner.step() { return erasures }
    }
  }

  private func save(_ batch: [StoredRecipient], in transaction: any StoreWriter) throws {
    try transaction.save(batch, batch.map { Schedule(due: $0.due, pending: $0.pending) })
  }

  /// Writes the changes of deliveries that a closure adds.
  func save(_ addChanges: (inout DeliveryChanges) throws -> Void) throws {
    try store.commit { try $0.save(addChanges) }
  }

  func counts(_ row: UInt32 = 1) throws -> NotificationCounts {
    guard let stored = try read({ try $0.recipient(row: row) }) else { throw Unexpected() }
    return stored.counts
  }

  func history(_ row: UInt32 = 1, after: Int64? = nil, limit: Int = 100) throws
    -> [HistoryNotification]
  {
    try read { reader in
      guard let stored = try reader.recipient(row: row) else { return [] }
      return try reader.notificationHistory(of: stored, after: after, limit: limit)
    }
  }

  func chain(_ row: UInt32 = 1) throws -> [Int64] {
    try read { try $0.chain(of: row, from: nil, downTo: 0, limit: .max).numbers }
  }

  func inbox(
    _ row: UInt32 = 1, after last: Int64? = nil, offset: Int = 0, limit: Int = 100
  ) throws -> [InboxItem] {
    try read { try $0.inbox(row: row, after: last, offset: offset, limit: limit) }
  }

  func read<Value>(_ body: (any StoreReader) throws -> Value) throws -> Value {
    try store.readers.read(body)
  }

  func delivery(_ number: Int64, _ channel: Channel = .push) throws -> Delivery {
    let found = try store.commit { try $0.deliveries(after: number - 1, limit: 1, on: .all) }
    guard let delivery = found.deliveries.first(where: { $0.channel == channel }) else {
      throw Unexpected()
    }
    return delivery
  }

  /// Returns the notifications of a sink's retries that are due by a number of minutes after noon.
  func dueRetries(
    of sink: String = "one", at minute: Int, limit: Int = 100,
    batchMax: (Int) -> Int = { _ in .max }
  ) throws -> [Int64] {
    try store.commit {
      try $0.dueRetries(
        of: sink, now: Fixtures.noon + .minutes(minute), limit: limit, batchMax: batchMax)
    }.map(\.delivery.notification)
  }
}

extension NotificationRecord {
  /// Returns a copy for another channel group.
  func on(_ channelGroup: ChannelGroup, channels: ChannelSet, paired: Bool = true) -> Self {
    var other = self
    (other.channelGroup, other.channels, other.hasOtherGroups) = (channelGroup, channels, paired)
    return other
  }

  func at(_ time: Instant) -> Self {
    var other = self
    other.at = time
    return other
  }
}

extension StoreWriter {
  /// Writes the changes that a closure adds.
  func save(_ addChanges: (inout DeliveryChanges) throws -> Void) throws {
    var changes = DeliveryChanges()
    try addChanges(&changes)
    try save(changes)
  }
}
