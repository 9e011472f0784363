import CivilTime
package import Fleet
import Postgres
package import Store

/// The result of a fleet statement.
package enum MembershipOutcome {
  case answered(FleetAnswer)
  /// The server refused the statement and rolled it back.
  case refused(reason: String)
  /// The connection was lost; the statement may or may not have been committed.
  case lost(reason: String)
  /// The connection was ended, because the server did not answer in time. The statement may have
  /// been committed.
  case silent(reason: String)
  /// A pooler used another session, which does not hold the node's lock. The statement may have
  /// been committed.
  case pooled(reason: String)
}

/// A node's membership in its fleet: a connection to the server that executes the statements of a
/// `FleetNode`. The connection's session holds the lock of the node's incarnation, the random
/// number of this run of its process. Not thread-safe.
///
/// All waits are bounded: by statement timeouts of the server, and by a timeout of the connection
/// in case the server is silent.
package final class Membership {
  package let incarnation: Incarnation
  package let database: PostgresDatabase
  /// The node's configured lease. It is written to the node's row, where other nodes read it.
  private let lease: TimeSpan
  let connection: PostgresConnection

  /// Connects, acquires the incarnation's lock, and checks that this version can work on the store.
  ///
  /// - Throws: the error; `unreachable` if a later attempt may succeed.
  package init(
    _ database: PostgresDatabase, as incarnation: Incarnation, _ times: FleetTimes
  ) throws(StoreError) {
    (self.incarnation, self.database, lease) = (incarnation, database, times.lease)
    do {
      let location = PostgresLocation(database.location).with([
        "tcp_user_timeout": "\(times.acknowledgementMax.milliseconds)",
        "connect_timeout": PostgresDatabase.connectMax,
      ])
      let settings = Self.settings(times)
      connection = try ServerCheck.explainingRejection(of: settings) {
        () throws(PostgresError) in
        try PostgresConnection(
          location.text, settings: settings,
          timeout: .milliseconds(times.answerMax.milliseconds))
      }
      try ServerCheck(connection).checkSession()
      try connection.query("SELECT pg_advisory_lock($1)", [.integer(incarnation.number)]) { _ in }
      try NodeOpening(connection, database, name: "").check()
    } catch {
      if let error = error as? PostgresError, error.isTransient {
        throw StoreError.unreachable(database: database.name, reason: "\(error)")
      }
      throw StoreError(error, database: database.name)
    }
  }

  private static func settings(_ times: FleetTimes) -> KeyValuePairs<String, String> {
    [
      "search_path": Schema.name, "statement_timeout": "\(times.statementMax.milliseconds)",
      "default_transaction_isolation": "read\\ committed", "jit": "off",
    ]
  }

  /// Executes a statement, and waits for its result.
  package func carryOut(_ statement: FleetStatement) -> MembershipOutcome {
    do {
      return .answered(try answer(to: statement))
    } catch PostgresError.refused(_, let reason) {
      guard (try? connection.rollBack()) != nil else { return connectionLoss(reason) }
      return .refused(reason: reason)
    } catch PostgresError.unfit(let reason) {
      return .pooled(reason: reason)
    } catch {
      return connectionLoss("\(error)")
    }
  }

  /// Returns the outcome of a statement after which the connection has ended.
  private func connectionLoss(_ reason: String) -> MembershipOutcome {
    connection.isSilent ? .silent(reason: reason) : .lost(reason: reason)
  }

  private func answer(to statement: FleetStatement) throws -> FleetAnswer {
    switch statement {
    case .join(let node, let name, let address): try join(node, name, address)
    case .heartbeat(let node, let isDraining, let skew):
      try writeHeartbeat(node, isDraining, skew)
    case .look: try .view(look())
    case .evict(let node, let reason, let lease): try .evicted(evict(node, reason, lease))
    case .claim(let node, let shards, let limit): try .claimed(claim(shards, limit, for: node))
    case .release(let node, let tenure): try .released(release(tenure, of: node))
    case .resign(let node): try resign(node)
    }
  }

  // MARK: - Joining and heartbeats

  /// Adds the node to the fleet. The node drains if an operator has requested that.
  private func join(
    _ node: Incarnation, _ name: String, _ address: String
  ) throws -> FleetAnswer {
    try connection.send("BEGIN")
    // The writes of a fenced node are rejected. Its row can be removed, because the writes of a
    // node without a row are rejected too.
    for statement in ShardStatements.removeGoneNodes { try connection.send(statement) }
    try connection.send(
      """
      INSERT INTO node (incarnation, name, address, version, backends, lease)
      VALUES ($1, $2, $3, $4, $5::int8[], $6)
      """,
      [
        .integer(node.number), .text(name), .text(address), .text(Self.version),
        .integers([Int64(connection.serverProcessID)]), .integer(lease.milliseconds),
      ])
    let at = try instant(
      """
      INSERT INTO heartbeat (incarnation, at, draining)
      VALUES ($1, \(Self.clock), EXISTS (SELECT FROM drained WHERE name = $2)) RETURNING at
      """, [.integer(node.number), .text(name)])
    try connection.commit()
    return .joined(database: at ?? Instant(milliseconds: 0))
  }

  /// Writes the heartbeat, and checks that the session is still the one that holds the node's lock.
  /// A pooler could have switched to another session; other nodes would then find the lock free.
  private func writeHeartbeat(
    _ node: Incarnation, _ isDraining: Bool, _ skew: TimeSpan?
  ) throws -> FleetAnswer {
    var writtenTime: Instant?
    try connection.query(
      """
      UPDATE heartbeat SET at = \(Self.clock), draining = $2 <> 0, skew = $3 FROM node
      WHERE heartbeat.incarnation = $1 AND node.incarnation = $1 AND NOT fenced
      RETURNING at, pg_backend_pid()
      """,
      [
        .integer(node.number), .integer(isDraining ? 1 : 0),
        .integer(skew?.milliseconds),
      ]
    ) { row in
      try ServerCheck(connection).check(processID: Int32(truncatingIfNeeded: row.integer(1)))
      writtenTime = Instant(milliseconds: row.integer(0))
    }
    if let writtenTime { return .heartbeat(isMember: true, database: writtenTime) }
    let now = try instant("SELECT \(Self.clock)")
    return .heartbeat(isMember: false, database: now ?? Instant(milliseconds: 0))
  }

  /// The SQL expression for the server's time in milliseconds. It advances within a transaction.
  static let clock = "(extract(epoch FROM clock_timestamp()) * 1000)::int8"

  /// Returns the instant that a statement selects; nil if it selects no row.
  private func instant(
    _ statement: String, _ parameters: [PostgresParameter] = []
  ) throws -> Instant? {
    var time: Instant?
    try connection.query(statement, parameters) { time = Instant(milliseconds: $0.integer(0)) }
    return time
  }

  /// Ends the node's membership in an orderly way.
  private func resign(_ node: Incarnation) throws -> FleetAnswer {
    try connection.send("BEGIN")
    try fence(node)
    try connection.commit()
    return .resigned
  }

  // MARK: - Viewing the fleet

  /// Reads the nodes and shards of the fleet in one snapshot.
  private func look() throws -> FleetView {
    try connection.send("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    let now = try instant("SELECT \(Self.clock)") ?? Instant(milliseconds: 0)
    var nodes: [FleetView.Node] = []
    // A node's session holds the node's lock exclusively. If this session can share the lock, the
    // node's session has ended.
    try connection.query(
      """
      SELECT n.incarnation, n.name, at, draining, fenced,
        NOT fenced AND (n.incarnation = $1 OR NOT pg_try_advisory_xact_lock_shared(n.incarnation)),
        address, EXISTS (SELECT FROM drained d WHERE d.name = n.name)
      FROM node n JOIN heartbeat h ON h.incarnation = n.incarnation ORDER BY 1
      """, [.integer(incarnation.number)]
    ) { row in
      nodes.append(
        FleetView.Node(
          incarnation: Incarnation(row.integer(0)), name: row.text(1),
          heartbeat: Instant(milliseconds: row.integer(2)), isDraining: row.integer(3) != 0,
          isFenced: row.integer(4) != 0, isConnected: row.integer(5) != 0, address: row.text(6),
          isDrainRequested: row.integer(7) != 0))
    }
    var shards: [FleetView.Shard] = []
    try connection.query("SELECT shard, epoch, owner FROM shard ORDER BY 1") { row in
      shards.append(
        FleetView.Shard(
          tenure: Tenure(shard: Int(row.integer(0)), epoch: row.integer(1)),
          owner: row.optionalInteger(2).map(Incarnation.init)))
    }
    try connection.commit()
    return FleetView(now: now, nodes: nodes, shards: shards)
  }
}
