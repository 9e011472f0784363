import CivilTime
import Postgres
import Store

/// Shows the fleet to operators, and drains nodes.
extension PostgresWork {
  func fleet() throws -> StoredFleet? {
    let now = try rows("SELECT \(Membership.clock)") { Instant(milliseconds: $0.integer(0)) }
    return StoredFleet(
      now: now.first ?? Instant(milliseconds: 0), ownIncarnation: node.incarnation,
      nodes: try nodes(),
      shards: try rows("SELECT shard, epoch, owner, plan FROM shard ORDER BY shard") { row in
        StoredFleet.Shard(
          shard: Int(row.integer(0)), epoch: row.integer(1), owner: row.optionalInteger(2),
          plan: row.text(3))
      }, drained: try rows("SELECT name FROM drained ORDER BY name") { $0.text(0) })
  }

  /// Returns the nodes. A node's lock shows whether its process is connected. The statement reads
  /// `pg_locks` instead of trying to share the locks. A shared lock could make a node wait that
  /// acquires its lock.
  private func nodes() throws -> [StoredFleet.Node] {
    try rows(
      """
      SELECT n.incarnation, n.name, n.address, n.version, h.at,
        EXISTS (SELECT FROM drained d WHERE d.name = n.name),
        n.fenced, NOT n.fenced AND EXISTS (\(Self.session)), h.skew, n.lease
      FROM node n LEFT JOIN heartbeat h ON h.incarnation = n.incarnation
      ORDER BY n.fenced, n.name, n.incarnation
      """
    ) { row in
      StoredFleet.Node(
        incarnation: row.integer(0), name: row.text(1), address: row.text(2), version: row.text(3),
        heartbeat: node.isFleet ? row.instant(4) : nil, isDraining: row.integer(5) != 0,
        isFenced: row.integer(6) != 0, isConnected: row.integer(7) != 0,
        skew: row.optionalInteger(8).map { TimeSpan(milliseconds: $0) },
        lease: row.optionalInteger(9).map { TimeSpan(milliseconds: $0) })
    }
  }

  /// Selects a session that holds the lock of a node `n`.
  private static let session = """
    SELECT 1 FROM pg_locks l WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted
      AND l.mode = 'ExclusiveLock'
      AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND (l.classid::int8 << 32 | l.objid::int8) = n.incarnation
    """

  /// Starts or stops draining a node. Requests are serialized: otherwise two requests could each
  /// drain a node, because the other node still serves.
  func drain(_ name: String, _ isDraining: Bool) throws -> DrainDecision? {
    try write("SELECT pg_advisory_xact_lock(\(Self.drainLock))")
    guard let decision = try fleet()?.drain(name, isDraining) else { return nil }
    guard case .write(let name, var node) = decision else { return decision }
    try write(
      isDraining
        ? "INSERT INTO drained VALUES ($1) ON CONFLICT DO NOTHING"
        : "DELETE FROM drained WHERE name = $1", [.text(name)])
    node?.isDraining = isDraining
    return .write(name, node)
  }

  /// The number of the advisory lock that serializes these requests: "chimdrai" in ASCII.
  private static let drainLock: Int64 = 0x6368_696d_6472_6169
}
