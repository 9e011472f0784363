import Access
import CivilTime
import Fleet
import Postgres
import Reminders
import Store

/// Opens a store as its only node, or as one of several nodes.
struct NodeOpening {
  private let connection: PostgresConnection
  private let database: PostgresDatabase
  /// The node's name, for operators.
  private let name: String
  private let membership: PostgresMembership

  init(
    _ connection: PostgresConnection, _ database: PostgresDatabase, name: String,
    _ membership: PostgresMembership = .alone
  ) {
    (self.connection, self.database, self.name) = (connection, database, name)
    self.membership = membership
  }

  /// Opens the store: acquires its locks, replaces outdated SQL functions, skips numbers if
  /// necessary (see `Continuity`), and begins number blocks. A node that works alone also acquires
  /// all shards, and fences all earlier nodes, so that their writes fail.
  ///
  /// - Parameters:
  ///   - time: the current time.
  ///   - timeout: how long to wait for the store's lock.
  /// - Returns: the node, created from the store's notes, and the key of links in notifications.
  func open(at time: Instant, timeout: TimeSpan) throws -> (PostgresNode, LinkKey) {
    try check()
    let lock = NodeLock(connection)
    guard try lock.acquireStoreLock(isShared: membership.isFleet, timeout) else {
      throw unusable(try reasonInUse(lock))
    }
    let notes = try notes()
    try renewFunctions(notes)
    _ = try Continuity(connection).skipNumbersIfBroken()
    var node = try node(notes)
    try beginNumberBlocks(of: &node)
    switch membership {
    case .fleet(let incarnation): try attach(to: incarnation)
    case .alone:
      try lock.acquireNodeLock(node.incarnation)
      try connection.send("BEGIN")
      try register(node, at: time)
      try acquireAllShards(for: &node, at: time)
      try connection.commit()
    }
    return (node, LinkKey(HexText.bytes(notes["link key"] ?? "")))
  }

  /// Acquires the exclusive use of the store. No node can open it while the connection lasts.
  ///
  /// - Returns: the store's notes.
  func lock(timeout: TimeSpan) throws -> [String: String] {
    try check()
    let lock = NodeLock(connection)
    guard try lock.acquireStoreLock(isShared: false, timeout) else {
      throw unusable(try reasonInUse(lock))
    }
    return try notes()
  }

  /// Checks whether the store could be opened, and changes nothing. A store in use is not an error.
  func check() throws { _ = try format() }

  /// Returns the format of the store. Throws if this version cannot read that format.
  func format() throws -> Int {
    let notes = try notes()
    guard let format = notes[Schema.formatNote].flatMap({ Int($0) }) else {
      throw unusable("its table of notes lacks a note that every store has")
    }
    guard format <= Schema.formatMax else {
      throw unusable(
        "it is written in format \(format), and this version reads none beyond "
          + "\(Schema.formatMax); install the version again that has written it")
    }
    return format
  }

  /// Replaces the store's SQL functions if an older version of chimed has created them. If the role
  /// of the session does not own them, the old functions stay. They accept some events that are
  /// rejected later, and do no other harm.
  private func renewFunctions(_ notes: [String: String]) throws {
    let version = notes[SubmissionSchema.versionNote].flatMap { Int($0) } ?? 1
    guard version < SubmissionSchema.version else { return }
    do {
      // If two nodes start at the same time, one waits for the other.
      try connection.run(
        script: """
          BEGIN; LOCK TABLE meta IN SHARE ROW EXCLUSIVE MODE;
          \(SubmissionSchema.functions)
          INSERT INTO meta VALUES ('\(SubmissionSchema.versionNote)', '\(SubmissionSchema.version)')
            ON CONFLICT (key) DO UPDATE SET value = excluded.value;
          COMMIT
          """)
    } catch {
      guard case .refused = error else { throw error }
      try connection.rollBack()
    }
  }

  /// Creates the node, without shards and number blocks, from the store's notes.
  private func node(_ notes: [String: String]) throws -> PostgresNode {
    guard let hash = KeyedHash(notes: notes), let instance = notes["instance"] else {
      throw unusable("its table of notes lacks a note that every store has")
    }
    let shardsMax = PostgresDatabase.shards.upperBound
    guard hash.shards <= shardsMax else {
      throw unusable(
        "it has \(hash.shards) shards, and this version knows \(shardsMax) at most; make another "
          + "by `chimed fleet init`")
    }
    var node = PostgresNode(
      incarnation: incarnation, name: name, isFleet: membership.isFleet,
      instance: instance, hash: hash)
    node.erasureOpen = notes[PostgresWork.erasureNote].flatMap { Int64($0) }
      .map { Instant(milliseconds: $0) }
    try connection.query("SELECT EXISTS (SELECT 1 FROM tombstone)") { row in
      node.hasTombstones = row.integer(0) != 0
    }
    return node
  }

  /// The incarnation of a node of a fleet; a random number for a node that works alone.
  private var incarnation: Int64 {
    if case .fleet(let incarnation) = membership { return incarnation.number }
    return .random(in: 1 ... .max)
  }

  /// Reads all notes of the store.
  private func notes() throws -> [String: String] {
    var notes: [String: String] = [:]
    do {
      try connection.query("SELECT key, value FROM meta") { notes[$0.text(0)] = $0.text(1) }
    } catch let PostgresError.refused(state, _)
      where [.undefinedTable, .undefinedSchema].contains(state)
    {
      throw unusable(
        "it has no tables of chimed yet; `chimed fleet init --config FILE` creates them")
    }
    return notes
  }

  /// Adds this connection's session to a node that has joined. The session acquires the node's lock
  /// before it checks whether the node is fenced. So if another node evicts this node in between,
  /// the session ends.
  private func attach(to node: Incarnation) throws {
    try Membership.mark(connection, as: node)
    var isMember = false
    try connection.query(
      """
      UPDATE node SET backends = backends || $2::integer
      WHERE incarnation = $1 AND NOT fenced RETURNING 1
      """, [.integer(node.number), .integer(Int(connection.serverProcessID))]
    ) { _ in isMember = true }
    guard isMember else {
      throw StoreError.notOwner(reason: "node \(node) is no longer a member of the fleet")
    }
  }

  /// Fences all earlier nodes, even if their processes have ended, and adds this one. The row of
  /// the last owner stays, so that operators can see it.
  private func register(_ node: PostgresNode, at time: Instant) throws {
    for statement in ShardStatements.removeGoneNodes { try connection.send(statement) }
    try connection.send("UPDATE node SET fenced = true WHERE NOT fenced")
    try connection.send(
      "INSERT INTO node (incarnation, name, version, backends) VALUES ($1, $2, $3, $4::int8[])",
      [
        .integer(node.incarnation), .text(name), .text(Version.current),
        .integers([Int64(connection.serverProcessID)]),
      ])
    try connection.send(
      "INSERT INTO heartbeat VALUES ($1, $2)",
      [.integer(node.incarnation), .integer(time.milliseconds)])
  }

  /// Acquires all shards. Unanswered deliveries of a former fleet's nodes become retries.
  private func acquireAllShards(for node: inout PostgresNode, at time: Instant) throws {
    try connection.query(
      "UPDATE shard SET owner = $1, epoch = epoch + 1 RETURNING shard, epoch",
      [.integer(node.incarnation)]
    ) { node.shards.add($0.integer(0), epoch: $0.integer(1)) }
    var fleetShards: [Int64] = []
    try connection.query("SELECT shard FROM shard WHERE keeper IS DISTINCT FROM 0") {
      fleetShards.append($0.integer(0))
    }
    guard !fleetShards.isEmpty else { return }
    let shards = PostgresParameter.integers(fleetShards)
    for statement in [
      ShardStatements.lockKeepers, ShardStatements.forgetCrashes,
      ShardStatements.releaseRetriesInFlight,
    ] { try connection.send(statement, [shards]) }
    try connection.send(ShardStatements.insertOrphans, [shards, .integer(time.milliseconds)])
    try connection.send(
      ShardStatements.setKeeper, [shards, .integer(0), .integer(node.numbers.notification.next)])
    for statement in ShardStatements.removeDataOfGoneNodes { try connection.send(statement) }
  }

  /// Begins new number blocks, beyond all numbers in the store.
  private func beginNumberBlocks(of node: inout PostgresNode) throws {
    let blocks: [WritableKeyPath<NumberBlocks, NumberBlock>] = [
      \.recipient, \.event, \.message, \.notification,
    ]
    for block in blocks {
      try connection.query(node.numbers[keyPath: block].statement) { row in
        node.numbers[keyPath: block].begin(row.integer(0))
      }
    }
  }

  /// Returns why the store's lock cannot be acquired, with the remedy.
  private func reasonInUse(_ lock: NodeLock) throws -> String {
    if let role = try lock.foreignRole() {
      return "a session of the role \(role) has the lock by which chimed works on it; end that "
        + "session, and let no other role take the lock, as chimed-fleet(7) says"
    }
    return membership.isFleet
      ? "another chimed has the exclusive use of it; stop that one, or add `fleet:` to its "
        + "configuration"
      : "another chimed works on it; stop that one, or give this one another database"
  }

  private func unusable(_ reason: String) -> StoreError {
    .unusable(database: database.name, reason: reason)
  }
}
