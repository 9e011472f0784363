import Reminders

/// SQL statements for changes of shard owners.
enum ShardStatements {
  /// Selects the shards among $1 that node $2 owns. No other node can acquire them while a unit of
  /// work locks the row of node $2.
  static let owned =
    "SELECT shard, epoch, plan FROM shard WHERE shard = ANY($1) AND owner = $2 ORDER BY shard"

  /// A condition: the node owns the shard, and the node's lanes (the queues of sinks) have the
  /// shard's deliveries. While a shard is only claimed, its deliveries are still in the last
  /// owner's lanes.
  ///
  /// - Parameter alias: the alias of the table, with a dot.
  static func isTakenOver(by node: PostgresNode, _ alias: String = "") -> String {
    "\(alias)owner = \(node.incarnation) AND \(alias)keeper = \(node.lanes)"
  }

  /// Records that the end of node $1 is no crash: its process was requested to stop, or has joined
  /// again.
  static let markAsStopping = "UPDATE node SET stopping = true WHERE incarnation = $1"

  /// Lowers the `deaths` of retries (the crashes at which they were in flight), because node $1 did
  /// not crash. Other nodes raised them when they acquired the shards of node $1.
  static let revertCrash = """
    WITH gone AS (DELETE FROM crash WHERE node = $1 RETURNING shard, notification, channel)
    UPDATE retry t SET deaths = t.deaths - 1 FROM gone g
    WHERE t.shard = g.shard AND t.notification = g.notification AND t.channel = g.channel
      AND t.deaths > 0
    """

  /// Locks the rows of the keepers of the shards $1: the nodes whose lanes have the shards'
  /// deliveries. A process that joins again waits until this transaction has raised `deaths`, and
  /// then lowers them again (`revertCrash`).
  static let lockKeepers = """
    SELECT 1 FROM node WHERE incarnation IN (SELECT keeper FROM shard WHERE shard = ANY($1))
    FOR SHARE
    """

  /// Deletes the crash records in the shards $1 for deliveries that a sink has answered since the
  /// crash.
  static let forgetCrashes = """
    DELETE FROM crash c WHERE shard = ANY($1) AND NOT EXISTS (
      SELECT 1 FROM retry t WHERE t.shard = c.shard AND t.notification = c.notification
        AND t.channel = c.channel AND t.deaths > 0)
    """

  /// Selects the shards among $1 whose keeper crashed.
  static let crashed = """
    SELECT s.shard FROM shard s LEFT JOIN node o ON o.incarnation = s.keeper
    WHERE s.shard = ANY($1) AND s.keeper IS NOT NULL AND NOT coalesce(o.stopping, false)
    """

  /// Marks the retries of the shards $1 that were in flight at a node as waiting. Raises their
  /// `deaths` if that node crashed.
  static let releaseRetriesInFlight = """
    WITH held AS (
      SELECT t.shard, t.notification, t.channel, t.holder,
        coalesce(n.stopping, false) AS was_stopping
      FROM retry t LEFT JOIN node n ON n.incarnation = t.holder
      WHERE t.shard = ANY($1) AND t.holder IS NOT NULL
    ), counted AS (
      INSERT INTO crash (node, shard, notification, channel)
      SELECT holder, shard, notification, channel FROM held WHERE NOT was_stopping
    ), taken AS (
      UPDATE retry t SET holder = NULL,
        deaths = t.deaths + CASE WHEN h.was_stopping THEN 0 ELSE 1 END
      FROM held h WHERE t.shard = h.shard AND t.notification = h.notification
        AND t.channel = h.channel RETURNING t.sink
    ) SELECT sink, count(*) FROM taken GROUP BY sink
    """

  /// Turns the deliveries of the shards $1 that are beyond the cursors of the last owners' lanes
  /// into retries, due at $2. If the owner crashed while a delivery was in flight, the `deaths` of
  /// its retry are 1.
  static let insertOrphans = """
    WITH \(bounds), taken AS (
      INSERT INTO retry
      SELECT n.shard, n.id, c.channel, b.sink, 0, $2, '', NULL,
        CASE WHEN n.id > b.last_dispatched OR b.was_stopping THEN 0 ELSE 1 END
      \(beyond) ON CONFLICT DO NOTHING RETURNING shard, notification, channel, sink, deaths
    ), counted AS (
      INSERT INTO crash (node, shard, notification, channel)
      SELECT s.keeper, t.shard, t.notification, t.channel
      FROM taken t JOIN shard s ON s.shard = t.shard WHERE t.deaths > 0
    ) SELECT sink, count(*) FROM taken GROUP BY sink
    """

  /// For each of the shards $1 and each lane of its keeper: the first notification after the
  /// cursor. The table is materialized, so that PostgreSQL evaluates it before the rest of the
  /// query.
  private static let bounds = """
    bound AS MATERIALIZED (
      SELECT s.shard, l.sink, l.channels, l.last_dispatched,
        greatest(s.start, l.through + 1) AS first, coalesce(o.stopping, false) AS was_stopping
      FROM shard s JOIN lane l ON l.node = s.keeper LEFT JOIN node o ON o.incarnation = l.node
      WHERE s.shard = ANY($1)
    )
    """

  /// For each row of `bounds`: the deliveries on the lane's channels, beginning with those of the
  /// notification `first`.
  private static let beyond = """
    FROM bound b
    JOIN notification n ON n.shard = b.shard AND n.id >= b.first
      AND n.outcome = \(Outcome.delivered.rawValue) AND n.channels & b.channels <> 0
    JOIN generate_series(0, \(Channel.allCases.count - 1)) AS c(channel)
      ON ((n.channels & b.channels) >> c.channel) & 1 = 1
    """

  /// Makes node $2 the keeper of the shards $1. The node's lanes have the shards' deliveries from
  /// notification $3 on.
  static let setKeeper = "UPDATE shard SET keeper = $2, start = $3 WHERE shard = ANY($1)"

  /// Selects the nodes that own a shard, or are the keeper of one.
  static let referencedNodes =
    "SELECT keeper FROM shard WHERE keeper IS NOT NULL UNION SELECT owner FROM shard "
    + "WHERE owner IS NOT NULL"

  /// Removes fenced nodes, whose writes fail, unless they own a shard or are the keeper of one.
  static let removeGoneNodes = [
    "DELETE FROM node n WHERE n.fenced AND n.incarnation NOT IN (\(referencedNodes))",
    "DELETE FROM heartbeat WHERE incarnation NOT IN (SELECT incarnation FROM node)",
  ]

  /// Removes all data of fenced or removed nodes that are the keeper of no shard.
  static let removeDataOfGoneNodes = [
    """
    DELETE FROM lane l WHERE l.node <> 0
      AND NOT EXISTS (SELECT 1 FROM shard s WHERE s.keeper = l.node)
      AND NOT EXISTS (SELECT 1 FROM node n WHERE n.incarnation = l.node AND NOT n.fenced)
    """,
    "DELETE FROM node n WHERE n.fenced AND n.incarnation NOT IN (\(referencedNodes))",
    // Each node stores the number of its latest notification. The highest number of the removed
    // nodes stays, in the store's own note.
    """
    WITH gone AS (
      DELETE FROM meta m WHERE m.key LIKE '\(PostgresWork.latestNote) %' AND NOT EXISTS (
        SELECT 1 FROM node n WHERE m.key = '\(PostgresWork.latestNote) ' || n.incarnation)
      RETURNING m.value::bigint AS number
    )
    INSERT INTO meta SELECT '\(PostgresWork.latestNote)', max(number)::text FROM gone
    HAVING count(*) > 0 ON CONFLICT (key) DO UPDATE
    SET value = greatest(meta.value::bigint, excluded.value::bigint)::text
    """,
  ]

  /// Turns each delivery of the shards $1 that is still in a lane into a retry, due at $4.
  /// Deliveries up to the cursors $3 of the sinks $2 are in flight, and are marked with node $5.
  static let retire = """
    WITH \(bounds)
    INSERT INTO retry
    SELECT n.shard, n.id, c.channel, b.sink, 0, $4, '', CASE WHEN n.id <= u.cursor THEN $5 END, 0
    \(beyond) JOIN unnest($2::text[], $3::int8[]) AS u(sink, cursor) ON u.sink = b.sink
    ON CONFLICT DO NOTHING
    """

  /// Removes the shards $1 from all lanes.
  static let detach = "UPDATE shard SET start = \(Int64.max) WHERE shard = ANY($1)"

  /// Removes the retries of the shards $1 that were in flight at sinks of node $2; used when all of
  /// them are answered.
  static let forgetAnswered = "DELETE FROM retry WHERE shard = ANY($1) AND holder = $2"

  /// Removes the keeper of the shards $1, if node $2 still owns them.
  static let removeKeeper = "UPDATE shard SET keeper = NULL WHERE shard = ANY($1) AND owner = $2"
}
