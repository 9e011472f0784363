package import CivilTime
import Postgres
package import Store

extension PostgresDatabase {
  /// Copies a store, in one transaction, into this database, which must contain a new and unused
  /// store. Numbers and names stay the same, so that nothing is sent twice.
  ///
  /// - Parameters:
  ///   - timeout: how long to wait for the store's lock.
  ///   - report: receives progress messages.
  /// - Returns: the number of rows of each table.
  package func fill(
    from source: any CopySource, timeout: TimeSpan = .seconds(1),
    report: (String) -> Void = { _ in }
  ) throws(StoreError) -> [CopiedTable: Int] {
    do {
      let connection = try connect()
      let notes = try NodeOpening(connection, self, name: "").lock(timeout: timeout)
      return try StoreImport(connection, self, notes).run(source, report)
    } catch {
      throw StoreError(error, database: name)
    }
  }
}

/// A single import.
private struct StoreImport {
  private let connection: PostgresConnection
  private let database: PostgresDatabase
  private let hash: KeyedHash

  init(
    _ connection: PostgresConnection, _ database: PostgresDatabase, _ notes: [String: String]
  ) throws {
    guard let hash = KeyedHash(notes: notes) else {
      throw StoreError.unusable(
        database: database.name, reason: "its notes lack the number of shards or the keys")
    }
    (self.connection, self.database, self.hash) = (connection, database, hash)
  }

  func run(_ source: any CopySource, _ report: (String) -> Void) throws -> [CopiedTable: Int] {
    try checkEmpty()
    try connection.send("BEGIN")
    var shards = RecipientShards()
    var counts: [CopiedTable: Int] = [:]
    for table in CopiedTable.allCases {
      report("copying \(table.rawValue)")
      counts[table] = try copy(table, from: source, &shards)
    }
    try finish(source)
    report("committing")
    try connection.commit()
    return counts
  }

  private func copy(
    _ table: CopiedTable, from source: any CopySource, _ shards: inout RecipientShards
  ) throws -> Int {
    var target = CopyTarget(table, connection)
    try source.forEachRow(of: table) { row in
      if table == .recipient, case .text(let name) = row.values[1] {
        shards[row.recipient] = hash.shard(of: name)
      }
      try convertingErrors { try target.add(row, shard: shards[row.recipient]) }
    }
    try target.flush()
    return target.count
  }

  /// Runs the body, and converts its errors to store errors. The errors pass through the code of
  /// the source. It would report errors of another type as faults of the source.
  private func convertingErrors(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch {
      throw StoreError(error, database: database.name)
    }
  }

  private func checkEmpty() throws {
    var usedTable: String?
    let tables = CopiedTable.allCases.map { "SELECT '\($0.rawValue)' FROM \($0.rawValue)" }
    let others = ["submission", "refused"].map { "SELECT '\($0)' FROM \($0)" }
    for statement in tables + others {
      try connection.query(statement + " LIMIT 1") { usedTable = usedTable ?? $0.text(0) }
    }
    guard let usedTable else { return }
    throw StoreError.unusable(
      database: database.name,
      reason: "its table \(usedTable) is not empty; import into a new store, made by `chimed "
        + "fleet init` in another database")
  }

  // MARK: - Finishing

  /// Copies the notes, and makes all numbers that are assigned later higher than the copied ones.
  private func finish(_ source: any CopySource) throws {
    var notes = try source.copiedNotes()
    let last = try source.lastNumbers()
    let plan = notes.removeValue(forKey: "plan") ?? ""
    notes[PostgresWork.latestNote] = "\(last[.notification] ?? 0)"
    try connection.send(
      """
      INSERT INTO meta SELECT * FROM unnest($1::text[], $2::text[])
      ON CONFLICT (key) DO UPDATE SET value = excluded.value
      """, [.texts(notes.map(\.key)), .texts(notes.map(\.value))])
    // The keeper of all shards is a single service (0), whose lanes contain all unanswered
    // deliveries.
    try connection.send("UPDATE shard SET plan = $1, keeper = 0, start = 0", [.text(plan)])
    for (block, table) in Self.blocks {
      let blockCount = ((last[table] ?? 0) + block.size - 1) / block.size
      guard blockCount > 0 else { continue }
      try connection.send("SELECT setval('\(block.table)_block', $1)", [.integer(blockCount)])
    }
    guard let latest = last[.analytics], latest > 0 else { return }
    try connection.send(
      "SELECT setval(pg_get_serial_sequence('analytics_event', 'id'), $1)", [.integer(latest)])
  }

  /// The tables with numbers in blocks.
  private static let blocks: [(NumberBlock, CopiedTable)] = [
    (NumberBlocks().recipient, .recipient), (NumberBlocks().event, .event),
    (NumberBlocks().message, .message), (NumberBlocks().notification, .notification),
  ]
}

/// The shards of recipients, by the recipient's number, two bytes each. An array suffices, because
/// numbers are assigned in order.
private struct RecipientShards {
  private var shards: [Int16] = []

  subscript(recipient: Int64) -> Int64 {
    get { recipient < shards.count ? Int64(shards[Int(recipient)]) : 0 }
    set {
      let missing = Int(recipient) + 1 - shards.count
      if missing > 0 { shards += Array(repeating: 0, count: missing) }
      shards[Int(recipient)] = Int16(truncatingIfNeeded: newValue)
    }
  }
}
