import CivilTime
package import Fleet
package import Postgres
import Reminders

extension Membership {
  static let version = Version.current

  // MARK: - Evicting

  /// Evicts a node: terminates its sessions, fences it (its later transactions fail), and frees its
  /// shards.
  ///
  /// - Parameter lease: the time without a heartbeat after which a node counts as silent.
  /// - Returns: false if the node is not evicted, because the reason no longer applies.
  func evict(
    _ node: Incarnation, _ reason: EvictionReason, _ lease: TimeSpan
  ) throws -> Bool {
    try connection.send("BEGIN")
    let isDone = try fence(node, reason, lease)
    if reason == .own {
      // This process discarded its engine and did not crash, so its deliveries in flight did not
      // cause a crash. If another node has already evicted this incarnation and acquired its
      // shards, that node has counted a crash. The count is reverted.
      try connection.send(ShardStatements.markAsStopping, [.integer(node.number)])
      try connection.send(ShardStatements.revertCrash, [.integer(node.number)])
    }
    try connection.commit()
    return isDone
  }

  private func fence(
    _ node: Incarnation, _ reason: EvictionReason, _ lease: TimeSpan
  ) throws -> Bool {
    guard try applies(reason, of: node, lease) else { return false }
    // The locks identify a node's sessions. Process ids do not, because they can be reused.
    try connection.send(
      """
      SELECT pg_terminate_backend(pid) FROM pg_locks
      WHERE locktype = 'advisory' AND objsubid = 1 AND pid <> pg_backend_pid()
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND ((classid::int8 << 32 | objid::int8) = $1 AND mode = 'ExclusiveLock'
          OR (classid::int8 << 32 | objid::int8) = -$1 AND mode = 'ShareLock')
      """, [.integer(node.number)])
    _ = try selectsRow(
      "SELECT 1 FROM node WHERE incarnation = $1 FOR UPDATE", [.integer(node.number)])
    // Check again: the node may have sent a heartbeat while the statement above waited for the
    // node's row.
    guard try applies(reason, of: node, lease) else { return false }
    try fence(node)
    return true
  }

  /// Marks a connection's session as belonging to a node, so that the eviction of the node ends the
  /// session.
  package static func mark(_ connection: PostgresConnection, as node: Incarnation) throws {
    try connection.query("SELECT pg_advisory_lock_shared(-$1)", [.integer(node.number)]) { _ in }
  }

  /// Returns whether the reason of an eviction applies at present.
  private func applies(
    _ reason: EvictionReason, of node: Incarnation, _ lease: TimeSpan
  ) throws -> Bool {
    let condition =
      switch reason {
      case .own: "$2 > 0"
      case .gone: "$2 > 0 AND pg_try_advisory_xact_lock_shared(n.incarnation)"
      case .silent: "at <= \(Self.clock) - $2"
      }
    return try selectsRow(
      """
      SELECT 1 FROM node n JOIN heartbeat h ON h.incarnation = n.incarnation
      WHERE n.incarnation = $1 AND NOT fenced AND \(condition)
      """, [.integer(node.number), .integer(lease.milliseconds)])
  }

  /// Fences a node and frees its shards. Waits for the node's open transactions, which lock the
  /// node's row. Later transactions of the node fail.
  func fence(_ node: Incarnation) throws {
    try connection.send(
      "UPDATE node SET fenced = true WHERE incarnation = $1 AND NOT fenced",
      [.integer(node.number)])
    try connection.send(
      "UPDATE shard SET owner = NULL, epoch = epoch + 1 WHERE owner = $1",
      [.integer(node.number)])
  }

  private func selectsRow(_ statement: String, _ parameters: [PostgresParameter]) throws -> Bool {
    var hasRow = false
    try connection.query(statement, parameters) { _ in hasRow = true }
    return hasRow
  }

  // MARK: - Claiming and releasing

  /// Claims shards without an owner.
  ///
  /// - Parameters:
  ///   - shards: the wanted shards, the preferred first.
  ///   - limit: the maximum number of shards to claim.
  /// - Returns: the claimed shards; none if the node is fenced.
  func claim(_ shards: [Int], _ limit: Int, for node: Incarnation) throws -> [Tenure] {
    try connection.send("BEGIN")
    guard try isMember(node, holding: "FOR SHARE") else {
      try connection.rollBack()
      return []
    }
    var tenures: [Tenure] = []
    try connection.query(
      """
      UPDATE shard SET owner = $1 FROM (
        SELECT shard AS free FROM unnest($2::int8[]) WITH ORDINALITY AS wanted(number, position)
        JOIN shard ON shard = number WHERE owner IS NULL ORDER BY position LIMIT $3
        FOR UPDATE OF shard SKIP LOCKED
      ) AS taken WHERE shard = free RETURNING shard, epoch
      """, [.integer(node.number), .integers(shards.map(Int64.init)), .integer(limit)]
    ) { row in
      tenures.append(Tenure(shard: Int(row.integer(0)), epoch: row.integer(1)))
    }
    try connection.commit()
    return tenures
  }

  /// Frees a shard. Waits for the node's open transactions by an exclusive lock on the node's row.
  ///
  /// - Returns: false if the node is fenced or does not own the shard at that epoch.
  func release(_ tenure: Tenure, of node: Incarnation) throws -> Bool {
    try connection.send("BEGIN")
    let isDone =
      try isMember(node, holding: "FOR UPDATE")
      && selectsRow(
        """
        UPDATE shard SET owner = NULL, epoch = epoch + 1
        WHERE shard = $2 AND owner = $1 AND epoch = $3 RETURNING 1
        """, [.integer(node.number), .integer(tenure.shard), .integer(tenure.epoch)])
    try isDone ? connection.commit() : connection.rollBack()
    return isDone
  }

  /// Returns whether a node has a row and is not fenced, and locks the row.
  private func isMember(_ node: Incarnation, holding lock: String) throws -> Bool {
    try selectsRow(
      "SELECT 1 FROM node WHERE incarnation = $1 AND NOT fenced \(lock)", [.integer(node.number)])
  }
}
