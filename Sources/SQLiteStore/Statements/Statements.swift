import CivilTime
import GRDB
import Store

/// All prepared statements of a connection, and the state of its current transaction.
final class Statements {
  let recipientByName: HotStatement
  let recipientByRow: HotStatement
  let recipientsBetween: HotStatement
  let recipientsFrom: HotStatement
  let lastRecipient: HotStatement
  let bulk: BulkStatements
  let requests: RequestStatements
  let phones: PhoneStatements
  let factBases: FactBaseStatements
  let adoptions: AdoptionStatements
  let upsertRecipients: BulkInsert
  let replaceSchedules: BulkInsert
  let schedulesBetween: HotStatement

  /// Selects the event in a slot of the table of identities.
  let identity: HotStatement
  let insertIdentities: BulkInsert
  let eventByRow: HotStatement
  let eventsAfter: HotStatement
  let insertEvents: BulkInsert

  let insertNotifications: BulkInsert
  /// Selects whether a notification exists.
  let isRecorded: HotStatement
  /// Deletes the dropped notification of an occurrence in a channel group.
  let deleteDrop: HotStatement
  let deleteDropRetries: HotStatement
  let deleteDropAttempts: HotStatement
  let changeNotification: HotStatement
  let notification: HotStatement
  let schedule: HotStatement
  let messages: MessageStatements

  let lane: LaneStatements
  let attempts: AttemptStatements
  let counts: CountStatements
  let tokens: TokenStatements
  let analytics: AnalyticsStatements
  let erasure: ErasureStatements
  let retention: RetentionStatements
  let export: ExportStatements
  let newestRecord: HotStatement
  /// Selects a note.
  let meta: HotStatement
  let upsertMeta: HotStatement

  let history: HistoryStatements
  let stream: StreamStatements

  /// The numbers of the next rows in the tables of events, notifications, recipients and messages.
  var nextEvent: Int64
  var nextNotification: Int64
  var nextRecipient: Int64
  var nextMessage: Int64
  /// The names of the recipients that this transaction has admitted (given a row), in the order of
  /// their rows. The last one has the row before `nextRecipient`. No table contains these
  /// recipients until they are saved.
  var admitted: [String] = []
  /// The events added in this transaction and not yet written.
  let arrivals = Arrivals()
  /// The identities of the latest events.
  let unwrittenIdentities: UnwrittenIdentities
  /// If this transaction has erased a recipient: the value that `erasureOpen` gets at the commit,
  /// unless an earlier erasure is still open. Otherwise nil.
  var uncommittedErasure: Instant?
  /// The number of transactions since the start that erased a recipient.
  private(set) var erasures = 0
  /// Since when data of an erased recipient may still be readable in the files; nil if the files
  /// contain no such data.
  var erasureOpen: Instant?
  /// The hash of events' identities, messages, telephone numbers and erased names.
  let hash: IdentityHash
  /// The name of the store.
  let instance: String
  let inbox: InboxStatements
  private unowned let database: Database
  /// The connection of the writing statements. It is the last property, so that it is released
  /// after its statements. Otherwise SQLite would close the connection with the last statement,
  /// when the connection's VFS no longer exists (`BufferedWAL`).
  var connection: DatabaseQueue?

  init(_ database: Database, _ pace: UnwrittenIdentities.Pace, _ hash: IdentityHash) throws {
    func prepare(_ sql: String) throws -> HotStatement { try HotStatement(database, sql) }
    self.database = database
    recipientByName = try prepare(Self.recipient + " WHERE r.name = ?1")
    recipientByRow = try prepare(Self.recipient + " WHERE r.id = ?1")
    recipientsBetween = try prepare(Self.recipient + " WHERE r.id BETWEEN ?1 AND ?2 ORDER BY r.id")
    recipientsFrom = try prepare(Self.recipientsFrom)
    lastRecipient = try prepare("SELECT coalesce(max(id), 0) FROM recipient")
    bulk = try BulkStatements(database)
    requests = try RequestStatements(database)
    phones = try PhoneStatements(database)
    factBases = try FactBaseStatements(database)
    adoptions = try AdoptionStatements(database)
    upsertRecipients = try BulkInsert(
      database, "INSERT", into: .recipient,
      onConflict: """
        ON CONFLICT (id) DO UPDATE SET last_event = excluded.last_event,
          checksum = excluded.checksum, facts_checksum = excluded.facts_checksum,
          facts = excluded.facts
        """)
    replaceSchedules = try BulkInsert(database, "INSERT OR REPLACE", into: .schedule)
    schedulesBetween = try prepare(Self.schedulesBetween)
    schedule = try prepare("SELECT \(ScheduleRow.columns) FROM schedule s WHERE s.recipient = ?1")
    identity = try prepare("SELECT event FROM event_identity WHERE hash = ?1")
    insertIdentities = try BulkInsert(
      database, "INSERT OR IGNORE INTO event_identity", columns: 2)
    eventByRow = try prepare("SELECT \(EventRow.columns) FROM event WHERE id = ?1")
    eventsAfter = try prepare("SELECT \(EventRow.columns) FROM event WHERE id > ?1 ORDER BY id")
    insertEvents = try BulkInsert(database, "INSERT", into: .event)
    insertNotifications = try BulkInsert(database, "INSERT OR IGNORE", into: .notification)
    isRecorded = try prepare("SELECT 1 FROM notification WHERE id = ?1")
    notification = try prepare(
      "SELECT \(NotificationRow.columns) FROM notification n WHERE n.id = ?1")
    changeNotification = try prepare(NotificationRow.update)
    deleteDrop = try prepare("DELETE " + Self.drop)
    deleteDropRetries = try prepare(
      "DELETE FROM retry WHERE notification IN (SELECT id \(Self.drop))")
    deleteDropAttempts = try prepare(
      "DELETE FROM attempt WHERE notification IN (SELECT id \(Self.drop))")
    messages = try MessageStatements(database)
    lane = try LaneStatements(database, deliveries: Self.deliveries)
    attempts = try AttemptStatements(database, deliveries: Self.deliveries)
    counts = try CountStatements(database)
    tokens = try TokenStatements(database)
    analytics = try AnalyticsStatements(database)
    erasure = try ErasureStatements(database)
    retention = try RetentionStatements(database)
    export = try ExportStatements(database)
    newestRecord = try prepare(Self.newestRecord)
    meta = try prepare(Notes.select)
    history = try HistoryStatements(database)
    stream = try StreamStatements(database, deliveries: Self.deliveries)
    upsertMeta = try prepare(Notes.replace)
    inbox = try InboxStatements(database)
    instance = try Self.note("instance", in: database)
    let keys = IdentityHash.Keys(try Self.note(SQLiteStore.hashKeysName, in: database))
    guard let keys else { throw DamagedRow("meta", SQLiteStore.hashKeysName) }
    self.hash = hash.keyed(by: keys)
    unwrittenIdentities = UnwrittenIdentities(
      completeThrough: try Notes.number(StoreTransaction.completeIdentities, in: database) ?? 0,
      pace: pace)
    nextEvent = try Self.next(database, "event")
    nextNotification = try Self.next(database, "notification")
    nextRecipient = try Self.next(database, "recipient")
    nextMessage = try Self.next(database, "message")
    erasureOpen = try Notes.text(StoreTransaction.erasureNote, in: database).flatMap(Int64.init)
      .map(Instant.init(milliseconds:))
  }

  /// The store's high-water mark once the transaction is on disk.
  var mark: HighWaterMark {
    HighWaterMark(
      instance: instance, event: nextEvent - 1, notification: nextNotification - 1)
  }

  /// Runs a scan that reads each page once, with a small cache: caching all its pages would only
  /// fill memory. Read-only connections always have a small cache.
  func withoutCaching(_ body: () throws -> Void) throws {
    guard connection != nil else { return try body() }
    try PageCache.small.set(on: database)
    defer { try? PageCache.large.set(on: database) }
    try body()
  }

  /// Ends the transaction after its commit.
  func endCommittedTransaction() {
    unwrittenIdentities.confirmAdded(lastEvent: nextEvent - 1)
    admitted.removeAll(keepingCapacity: true)
    if uncommittedErasure != nil { erasures += 1 }
    erasureOpen = erasureOpen ?? uncommittedErasure
    uncommittedErasure = nil
  }

  /// Discards the transaction's changes in memory.
  func rollBack() {
    messages.known.forget()
    arrivals.removeAll()
    admitted.removeAll()
    unwrittenIdentities.rollBack()
    uncommittedErasure = nil
  }

  /// Selects the later of two times: that of the last event after row ?1, and that of the last
  /// notification after row ?2. Selects 0 if there are no such rows.
  private static let newestRecord = """
    SELECT max(
      coalesce((SELECT received FROM event WHERE id > ?1 ORDER BY id DESC LIMIT 1), 0),
      coalesce((SELECT at FROM notification WHERE id > ?2 ORDER BY id DESC LIMIT 1), 0))
    """

  /// The dropped notification of an occurrence, in one channel group and round. A snooze, for
  /// example, begins another round of an occurrence.
  private static let drop = """
    FROM notification
    WHERE reminder = ?1 AND occurrence = ?2 AND recipient = ?3 AND outcome = ?4
      AND channel_group = ?5 AND round = ?6
    """

  private static let recipient = """
    SELECT \(RecipientRow.columns)
    FROM recipient r JOIN schedule s ON s.recipient = r.id
    """

  private static let schedulesBetween = """
    SELECT \(ScheduleRow.columns) FROM schedule s WHERE s.recipient BETWEEN ?1 AND ?2
    ORDER BY s.recipient
    """

  private static let recipientsFrom = """
    SELECT \(RecipientRow.nameColumns), \(ScheduleRow.columns)
    FROM recipient r JOIN schedule s ON s.recipient = r.id
    WHERE r.name >= ?1 ORDER BY r.name LIMIT ?2
    """

  private static let deliveries = """
    SELECT \(DeliveryRow.columns) FROM notification n
    JOIN recipient r ON r.id = n.recipient JOIN message m ON m.id = n.message
    """

  /// Returns the number of a table's next row. It is greater than all existing rows, and at least
  /// the number in the note. The note is needed because rows at the end of the table may have been
  /// removed.
  private static func next(_ database: Database, _ table: String) throws -> Int64 {
    let last = try Int64.fetchOne(database, sql: "SELECT max(id) FROM \(table)") ?? 0
    return max(last + 1, try Notes.number("next \(table)", in: database) ?? 1)
  }

  /// Returns the value of a note that every store has.
  private static func note(_ key: String, in database: Database) throws -> String {
    guard let text = try Notes.text(key, in: database) else { throw DamagedRow("meta", key) }
    return text
  }
}

/// The size of a connection's page cache, in MiB.
enum PageCache: Int {
  case small = 1
  /// The size for the writing connection, because a burst of due recipients uses the same pages
  /// again and again.
  case large = 64

  func set(on database: Database) throws {
    try database.execute(sql: "PRAGMA cache_size = -\(rawValue << 10)")
  }
}
