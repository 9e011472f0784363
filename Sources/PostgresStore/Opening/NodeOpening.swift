import Access
import CivilTime
import Postgres
import Reminders
import Store

/// How a process becomes the node that works on a store.
struct NodeOpening {
  private let connection: PostgresConnection
  private let database: PostgresDatabase
  /// Of the node, for people.
  private let name: String

  init(_ connection: PostgresConnection, _ database: PostgresDatabase, name: String) {
    (self.connection, self.database, self.name) = (connection, database, name)
  }

  /// - Returns: what the node knows of the store, and the key of the links by which people
  ///   unsubscribe.
  func open(at time: Instant, patience: TimeSpan) throws -> (PostgresNode, UnsubscribeKey) {
    let notes = try notes()
    let (shards, hashKey) = (Int(notes["shards"] ?? ""), notes["hash key"].map(HexText.bytes))
    guard let shards, shards > 0, let hashKey, hashKey.count == KeyedHash.keyByteCount,
      let instance = notes["instance"]
    else { throw unusable("its table of notes lacks what every store has") }
    var node = PostgresNode(
      incarnation: .random(in: 1 ... .max), instance: instance,
      hash: KeyedHash(key: hashKey, shards: shards))
    node.erasureOpen = notes[PostgresWork.erasureNote].flatMap { Int64($0) }
      .map { Instant(milliseconds: $0) }
    try connection.query("SELECT EXISTS (SELECT 1 FROM tombstone)") { row in
      node.hasTombstones = row.integer(0) != 0
    }
    try lock(patience: patience)
    try take(over: node, at: time)
    try number(&node)
    return (node, UnsubscribeKey(HexText.bytes(notes["unsubscribe key"] ?? "")))
  }

  /// Looks whether the store could be opened, and changes nothing. That somebody works on it is no
  /// mistake.
  func check() throws { _ = try notes() }

  private func notes() throws -> [String: String] {
    var notes: [String: String] = [:]
    do {
      try connection.query("SELECT key, value FROM meta") { notes[$0.text(0)] = $0.text(1) }
    } catch let PostgresError.refused(state, _)
      where [.undefinedTable, .undefinedSchema].contains(state)
    {
      throw unusable(
        "it has no tables of chimed's yet; `chimed fleet init --config FILE` makes them")
    }
    guard let version = notes["version"].flatMap({ Int($0) }), version <= Schema.version else {
      throw unusable("a newer version of chimed has written it; install that version again")
    }
    return notes
  }

  /// The lock is the session's: it goes when the process dies, and with it the node. The server may
  /// not have noticed yet that one has died.
  private func lock(patience: TimeSpan) throws {
    do {
      try connection.send("SET lock_timeout = \(patience.milliseconds)")
      try connection.send("SELECT pg_advisory_lock(\(Self.lock))")
      try connection.send("RESET lock_timeout")
      try connection.wait()
    } catch {
      guard case .refused(.lockNotAvailable, _) = error else { throw error }
      throw unusable(
        "another chimed works on it; stop that one, or give this one another database")
    }
  }

  private func take(over node: PostgresNode, at time: Instant) throws {
    try connection.send("BEGIN")
    // Whoever is not there is refused as well; the last one is kept for people to see.
    try connection.send("DELETE FROM node WHERE fenced")
    try connection.send(
      "DELETE FROM heartbeat WHERE incarnation NOT IN (SELECT incarnation FROM node)")
    try connection.send("UPDATE node SET fenced = true WHERE NOT fenced")
    try connection.send(
      "INSERT INTO node (incarnation, name, version, backends) VALUES ($1, $2, $3, $4::int8[])",
      [
        .integer(node.incarnation), .text(name), .text(Version.current),
        .integers([Int64(connection.backend)]),
      ])
    try connection.send(
      "INSERT INTO heartbeat VALUES ($1, $2)",
      [.integer(node.incarnation), .integer(time.milliseconds)])
    try connection.send(
      "UPDATE shard SET owner = $1, epoch = epoch + 1", [.integer(node.incarnation)])
    try connection.commit()
  }

  /// "chim".
  private static let lock = 0x6368_696d

  /// Begins blocks of its own, so that whatever the store has is before them.
  private func number(_ node: inout PostgresNode) throws {
    let blocks: [WritableKeyPath<NumberBlocks, NumberBlock>] = [
      \.recipient, \.event, \.message, \.notification, \.analytics,
    ]
    for block in blocks {
      try connection.query(node.numbers[keyPath: block].statement) { row in
        node.numbers[keyPath: block].begin(row.integer(0))
      }
    }
  }

  private func unusable(_ reason: String) -> StoreError {
    .unusable(database: database.name, reason: reason)
  }
}
