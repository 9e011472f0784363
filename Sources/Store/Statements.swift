import CivilTime
import GRDB

/// Every prepared statement of the store, made once for the connection.
final class Statements {
  let recipientByName: HotStatement
  let recipientByRow: HotStatement
  let recipientsBetween: HotStatement
  let bulk: BulkStatements
  let keepRecipients: BulkInsert
  let replaceSchedules: BulkInsert
  let allSchedules: HotStatement

  let identity: HotStatement
  let insertIdentities: BulkInsert
  let eventByRow: HotStatement
  let eventsAfter: HotStatement
  let insertEvents: BulkInsert

  let insertNotifications: BulkInsert
  let isRecorded: HotStatement
  let settleNotification: HotStatement
  let forgetDrop: HotStatement
  let forgetRetries: HotStatement
  let forgetAttempts: HotStatement
  let insertMessage: HotStatement

  let lane: LaneStatements
  let attempts: AttemptStatements
  let counts: CountStatements
  let tokens: TokenStatements
  let analytics: AnalyticsStatements
  let erasure: ErasureStatements
  let export: ExportStatements
  let newestRecord: HotStatement
  let meta: HotStatement
  let upsertMeta: HotStatement

  let history: HistoryStatements
  let stream: StreamStatements

  /// The next free rows.
  var nextEvent: Int64
  var nextNotification: Int64
  var nextRecipient: Int64
  /// The names of those whom the transaction has admitted, in the order of their rows, the last of
  /// which is the one before the next free row. Until they are saved, no table has them.
  var admitted: [String] = []
  /// What the transaction has taken in and not written yet.
  let arrivals = Arrivals()
  /// The identities of the latest events.
  let recent: RecentIdentities
  /// When the transaction erases somebody.
  var erased: Instant?
  /// Since when somebody is erased who may still be read in the files.
  var erasureOpen: Instant?
  /// The messages known to be stored.
  let messages = KnownMessages()
  /// The store's own name.
  let instance: String
  let inbox: InboxStatements

  init(_ database: Database, _ pace: RecentIdentities.Pace) throws {
    func prepare(_ sql: String) throws -> HotStatement { try HotStatement(database, sql) }
    recipientByName = try prepare(Self.recipient + " WHERE r.name = ?1")
    recipientByRow = try prepare(Self.recipient + " WHERE r.id = ?1")
    recipientsBetween = try prepare(
      Self.recipient + " WHERE r.id BETWEEN ?1 AND ?2 ORDER BY r.id")
    bulk = try BulkStatements(database)
    keepRecipients = try BulkInsert(
      database, "INSERT INTO recipient", columns: 4,
      onConflict: """
        ON CONFLICT (id) DO UPDATE SET facts = excluded.facts, last_event = excluded.last_event
        """)
    replaceSchedules = try BulkInsert(
      database, "INSERT OR REPLACE INTO schedule \(Self.scheduleColumns)", columns: 9)
    allSchedules = try prepare("SELECT recipient, due, pending FROM schedule")
    identity = try prepare("SELECT event FROM event_identity WHERE hash = ?1")
    insertIdentities = try BulkInsert(
      database, "INSERT OR IGNORE INTO event_identity", columns: 2)
    eventByRow = try prepare(
      """
      SELECT source, identifier, type, time, is_time_given, data, recipient, previous
      FROM event WHERE id = ?1
      """)
    eventsAfter = try prepare(
      "SELECT id, source, identifier FROM event WHERE id > ?1 AND type <> '' ORDER BY id")
    insertEvents = try BulkInsert(database, "INSERT INTO event", columns: 10)
    insertNotifications = try BulkInsert(
      database, "INSERT OR IGNORE INTO notification \(Self.notificationColumns)", columns: 15)
    isRecorded = try prepare("SELECT 1 FROM notification WHERE id = ?1")
    settleNotification = try prepare(
      "UPDATE notification SET outcome = ?2, trace = ?3 WHERE id = ?1")
    forgetDrop = try prepare("DELETE " + Self.drop)
    forgetRetries = try prepare(
      "DELETE FROM retry WHERE notification IN (SELECT id \(Self.drop))")
    forgetAttempts = try prepare(
      "DELETE FROM attempt WHERE notification IN (SELECT id \(Self.drop))")
    insertMessage = try prepare("INSERT OR IGNORE INTO message VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")
    lane = try LaneStatements(database, deliveries: Self.deliveries)
    attempts = try AttemptStatements(database, deliveries: Self.deliveries)
    counts = try CountStatements(database)
    tokens = try TokenStatements(database)
    analytics = try AnalyticsStatements(database)
    erasure = try ErasureStatements(database)
    export = try ExportStatements(database)
    newestRecord = try prepare(Self.newestRecord)
    meta = try prepare("SELECT value FROM meta WHERE key = ?1")
    history = try HistoryStatements(database)
    stream = try StreamStatements(database, deliveries: Self.deliveries)
    upsertMeta = try prepare("INSERT OR REPLACE INTO meta VALUES (?1, ?2)")
    inbox = try InboxStatements(database)
    instance = try Self.text(database, "instance") ?? ""
    recent = RecentIdentities(
      completeThrough: try Self.number(database, StoreTransaction.completeIdentities) ?? 0,
      pace: pace)
    nextEvent = max(try Self.next(database, "event"), try Self.floor(database, "event"))
    nextNotification = max(
      try Self.next(database, "notification"), try Self.floor(database, "notification"))
    nextRecipient = max(
      try Self.next(database, "recipient"), try Self.floor(database, "recipient"))
    erasureOpen = try Self.text(database, StoreTransaction.erasureNote).flatMap(Int64.init)
      .map(Instant.init(milliseconds:))
  }

  /// What the store will have come to once the transaction is on disk.
  var mark: HighWaterMark {
    HighWaterMark(
      instance: instance, event: nextEvent - 1, notification: nextNotification - 1)
  }

  /// The transaction is on disk.
  func settle() {
    recent.settle(through: nextEvent - 1)
    admitted.removeAll(keepingCapacity: true)
    erasureOpen = erasureOpen ?? erased
    erased = nil
  }

  /// The transaction has not happened.
  func rollBack() {
    messages.forget()
    arrivals.removeAll()
    admitted.removeAll()
    recent.rollBack()
    erased = nil
  }

  private static let scheduleColumns =
    "(recipient, due, pending, progress, head, recent, items, unread, cleared)"

  private static let notificationColumns = """
    (id, recipient, reminder, occurrence, track, planned, at, expiry, outcome, channels, silent,
      trace, message, previous, leader)
    """

  /// The time of the last event and of the last notification of those after a row of each.
  private static let newestRecord = """
    SELECT max(
      coalesce((SELECT received FROM event WHERE id > ?1 ORDER BY id DESC LIMIT 1), 0),
      coalesce((SELECT at FROM notification WHERE id > ?2 ORDER BY id DESC LIMIT 1), 0))
    """

  private static let drop = """
    FROM notification
    WHERE reminder = ?1 AND occurrence = ?2 AND recipient = ?3 AND outcome = ?4 AND track = ?5
    """

  static let recipientColumns = """
    r.id, r.name, r.facts, r.last_event, s.progress, s.pending, s.due,
      s.head, s.recent, s.items, s.unread, s.cleared
    """

  private static let recipient = """
    SELECT \(recipientColumns)
    FROM recipient r JOIN schedule s ON s.recipient = r.id
    """

  private static let deliveries = """
    SELECT n.id, n.recipient, r.name, n.outcome, n.channels, n.silent, n.planned, n.at, n.expiry,
      m.reminder, m.category, m.title, m.body, m.details, m.members, n.occurrence
    FROM notification n
    JOIN recipient r ON r.id = n.recipient JOIN message m ON m.id = n.message
    """

  private static func next(_ database: Database, _ table: String) throws -> Int64 {
    try Int64.fetchOne(database, sql: "SELECT coalesce(max(id), 0) + 1 FROM \(table)") ?? 1
  }

  /// The number below which every one was given out, whether its row is still there or not.
  private static func floor(_ database: Database, _ table: String) throws -> Int64 {
    try number(database, "next \(table)") ?? 1
  }

  private static func text(_ database: Database, _ note: String) throws -> String? {
    try String.fetchOne(
      database, sql: "SELECT value FROM meta WHERE key = ?", arguments: [note])
  }

  /// A note that is a number.
  private static func number(_ database: Database, _ note: String) throws -> Int64? {
    let sql = "SELECT CAST(value AS INTEGER) FROM meta WHERE key = ?"
    return try Int64.fetchOne(database, sql: sql, arguments: [note])
  }
}
