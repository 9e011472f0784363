import CivilTime
import GRDB
import Store
import TestSupport

@testable import Reminders
@testable import SQLiteStore

/// The content of test stores.
enum Fixtures {
  static let noon = Instant(milliseconds: 1_772_452_800_000)

  static func event(
    _ identifier: String = "1", source: String = "test", type: String = "relapse",
    recipient: String = "amina", time: Instant = noon, isTimeGiven: Bool = true,
    data: String = "{}"
  ) -> Event {
    Event(
      identifier: identifier, source: source, type: type, recipient: recipient, time: time,
      isTimeGiven: isTimeGiven, content: .happening(number: nil), data: Array(data.utf8))
  }

  /// A catalog with one reminder, `note`.
  static let catalog = Result {
    try Catalog(reading: [
      CatalogSource(
        file: "test.yaml",
        text: """
          catalog: notes
          categories:
            NOTE: {title: Notes, urgency: normal, channels: {push: true, email: true}}
          groups:
            notes: {enabled: true, time: "12:00"}
          reminders:
            note:
              category: NOTE
              group: notes
              every: {day: {at: $time}}
              expires: 12h
              messages: [{title: Note, body: A note.}]
          """)
    ])
  }

  static let planner = Result {
    let zones = try ZoneDatabase(generation: 1)
    return Planner(
      catalog: try catalog.get(), zones: zones, defaultZone: try zones.zone(named: "UTC"))
  }

  static func record(
    row: UInt32 = 1, key: Int64, outcome: Outcome = .delivered,
    channels: ChannelSet = [.init(.push)],
    title: String = "Note", body: String = "A note.", isCommon: Bool = true
  ) -> NotificationRecord {
    NotificationRecord(
      row: row, reminder: Symbol("note"), key: key, channelGroup: .interrupting, planned: noon,
      at: noon + .seconds(1), outcome: outcome, channels: channels, isSilent: false,
      trace: GateTrace(rawValue: 5), expiry: noon + .hours(12),
      message: Message(
        reminder: "note", category: "NOTE", title: title, body: body, isCommon: isCommon))
  }
}

extension SQLiteStore {
  /// Ingests an event, and creates its recipient if it is new.
  @discardableResult
  func take(_ event: Event) throws(StoreError) -> StoredRecipient {
    try transaction { transaction in
      guard case .new(let slot) = try transaction.match(event) else { throw Unexpected() }
      let known = try transaction.recipient(named: event.recipient)
      let recipient = Recipient(name: event.recipient, now: event.time)
      var stored = known ?? transaction.admit(recipient)
      stored.lastEvent = try transaction.append(
        event, slot: slot, row: stored.row, previous: stored.lastEvent, received: event.time)
      stored.hasUnsavedFacts = true
      try transaction.save([stored], [Schedule(due: stored.due, pending: stored.pending)])
      stored.hasUnsavedFacts = false
      return stored
    }
  }

  func match(_ event: Event) throws(StoreError) -> EventMatch {
    try transaction { try $0.match(event) }
  }

  func recipient(_ name: String) throws(StoreError) -> StoredRecipient? {
    try transaction { try $0.recipient(named: name) }
  }

  func deliveries(
    after cursor: Int64 = 0, limit: Int = 100, on channels: ChannelSet = .all
  ) throws(StoreError) -> (deliveries: [Delivery], through: Int64?) {
    try transaction { try $0.deliveries(after: cursor, limit: limit, on: channels) }
  }

  @discardableResult
  func record(_ record: NotificationRecord) throws(StoreError) -> Int64? {
    try self.record([record])[0]
  }

  /// Records outcomes and saves the changed counts.
  @discardableResult
  func record(_ records: [NotificationRecord]) throws(StoreError) -> [Int64?] {
    try transaction { try $0.recordAndKeep(records) }
  }
}

extension StoreTransaction {
  @discardableResult
  func recordAndKeep(_ records: [NotificationRecord]) throws -> [Int64?] {
    var batch = try Set(records.map(\.row)).sorted().compactMap { try recipient(row: $0) }
    let rows = try record(records, of: &batch)
    try save(batch, batch.map { Schedule(due: $0.due, pending: $0.pending) })
    return rows
  }
}

extension StoreTransaction {
  /// Adds a recipient with nothing pending.
  func insert(_ recipient: Recipient) throws -> StoredRecipient {
    var stored = admit(recipient)
    try save([stored], [Schedule(due: nil, pending: 0)])
    stored.hasUnsavedFacts = false
    return stored
  }
}

struct Unexpected: Error {}

extension EventMatch {
  var isNew: Bool { if case .new = self { true } else { false } }
  var isSame: Bool { if case .same = self { true } else { false } }
  var isOther: Bool { if case .other = self { true } else { false } }
}

/// Queries a store's file on a separate connection.
func ask<Value: DatabaseValueConvertible>(
  _ directory: TemporaryDirectory, _ sql: String
) throws -> [Value] {
  var configuration = Configuration()
  configuration.readonly = true
  let queue = try DatabaseQueue(
    path: directory.path + "/chimed.sqlite", configuration: configuration)
  return try queue.read { try Value.fetchAll($0, sql: sql) }
}

/// Changes a store's file as another program would.
func tamper(_ directory: TemporaryDirectory, _ sql: String) throws {
  let queue = try DatabaseQueue(path: directory.path + "/chimed.sqlite")
  try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
}

extension StoredRecipient {
  /// Adds requests with these event numbers.
  mutating func request(_ keys: ClosedRange<Int64>, text: String = "something") {
    for key in keys {
      let content = RequestedNotification.Content(
        category: Symbol("NOTE"), planned: Fixtures.noon + .days(1), expires: .days(1),
        channels: [], isInteractive: false, title: "No. \(key)",
        body: String(repeating: text + " ", count: 20), details: "")
      let request = RequestedNotification(
        identity: EventIdentity(source: "test", identifier: "\(key)"),
        stamp: Stamp(time: Fixtures.noon, order: key), content: content)
      recipient.facts.requests.insert(request)
    }
    hasUnsavedFacts = true
  }

  /// Folds an event that reports a telephone number.
  mutating func report(phone: String, order: Int64) {
    let event = Event(
      identifier: phone, source: "test", type: "recipient.updated", recipient: recipient.name,
      time: Fixtures.noon + .hours(Int(order)), isTimeGiven: true,
      content: .profile([ProfileChange(field: .phone, value: phone)]))
    recipient.facts.fold(event, order: order, memory: nil)
    hasUnsavedFacts = true
  }

  /// Removes requests with these event numbers.
  mutating func settle(_ keys: Set<Int64>) {
    recipient.facts.forget(requests: keys)
    hasUnsavedFacts = true
  }
}
