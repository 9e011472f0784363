import Reminders

/// What is said to the server when shards change hands.
enum ShardStatements {
  /// Which of the shards $1 are the node $2's. They stay that for as long as a unit of work holds
  /// on to the node's row.
  static let owned =
    "SELECT shard, epoch, plan FROM shard WHERE shard = ANY($1) AND owner = $2 ORDER BY shard"

  /// That a shard is a node's and its lanes are those that tell of it: of one that it has only
  /// claimed yet, the lanes of another do.
  ///
  /// - Parameter alias: of the table, with a dot.
  static func isTakenOver(by node: PostgresNode, _ alias: String = "") -> String {
    "\(alias)owner = \(node.incarnation) AND \(alias)keeper = \(node.lanes)"
  }

  /// What the sinks of the last owners of the shards $1 had in retry: whether that was a death is
  /// known of the owner.
  static let takeHeld = """
    WITH taken AS (
      UPDATE retry t SET holder = NULL, deaths = t.deaths + CASE WHEN coalesce(
        (SELECT n.stopping FROM node n WHERE n.incarnation = t.holder), false) THEN 0 ELSE 1 END
      WHERE t.shard = ANY($1) AND t.holder IS NOT NULL RETURNING t.sink
    ) SELECT sink, count(*) FROM taken GROUP BY sink
    """

  /// What the lanes of the last owners of the shards $1 had not come past becomes retries, due at
  /// $2.
  static let takeLeft = """
    WITH \(bounds), taken AS (
      INSERT INTO retry
      SELECT n.shard, n.id, c.channel, b.sink, 0, $2, '', NULL,
        CASE WHEN n.id > b.handed OR b.was_stopping THEN 0 ELSE 1 END
      \(beyond) ON CONFLICT DO NOTHING RETURNING sink
    ) SELECT sink, count(*) FROM taken GROUP BY sink
    """

  /// The first notification of each of the shards $1 that each of the lanes of its keeper has not
  /// come past. Found out before anything else, so that the server begins there.
  private static let bounds = """
    bound AS MATERIALIZED (
      SELECT s.shard, l.sink, l.channels, l.handed, greatest(s.start, l.through + 1) AS first,
        coalesce(o.stopping, false) AS was_stopping
      FROM shard s JOIN lane l ON l.node = s.keeper LEFT JOIN node o ON o.incarnation = l.node
      WHERE s.shard = ANY($1)
    )
    """

  /// What goes out from there on, each on the channels of its lane.
  private static let beyond = """
    FROM bound b
    JOIN notification n ON n.shard = b.shard AND n.id >= b.first
      AND n.outcome = \(Outcome.delivered.rawValue) AND n.channels & b.channels <> 0
    JOIN generate_series(0, \(Channel.allCases.count - 1)) AS c(channel)
      ON ((n.channels & b.channels) >> c.channel) & 1 = 1
    """

  /// The lanes of $2 tell of the shards $1 what has been answered for, from notification $3 on.
  static let keep = "UPDATE shard SET keeper = $2, start = $3 WHERE shard = ANY($1)"

  /// The nodes that own a shard or keep one.
  static let referred =
    "SELECT keeper FROM shard WHERE keeper IS NOT NULL UNION SELECT owner FROM shard "
    + "WHERE owner IS NOT NULL"

  /// Takes out the rows of nodes that are gone and have nothing any more.
  static let forgetGone = [
    "DELETE FROM node n WHERE n.fenced AND n.incarnation NOT IN (\(referred))",
    "DELETE FROM heartbeat WHERE incarnation NOT IN (SELECT incarnation FROM node)",
  ]

  /// Takes out what is left of nodes that are gone and have nothing any more.
  static let clear = [
    """
    DELETE FROM lane l WHERE l.node <> 0
      AND NOT EXISTS (SELECT 1 FROM shard s WHERE s.keeper = l.node)
      AND NOT EXISTS (SELECT 1 FROM node n WHERE n.incarnation = l.node AND NOT n.fenced)
    """,
    "DELETE FROM node n WHERE n.fenced AND n.incarnation NOT IN (\(referred))",
    // What each of them has noted as its latest is noted as the store's.
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

  /// What lanes at the places $3 of the sinks $2 have of the shards $1 becomes retries, due at $4:
  /// what a sink of the node $5 has is marked as being with it.
  static let retire = """
    WITH \(bounds)
    INSERT INTO retry
    SELECT n.shard, n.id, c.channel, b.sink, 0, $4, '', CASE WHEN n.id <= u.place THEN $5 END, 0
    \(beyond) JOIN unnest($2::text[], $3::int8[]) AS u(sink, place) ON u.sink = b.sink
    ON CONFLICT DO NOTHING
    """

  /// No lane has anything of the shards $1 any more.
  static let detach = "UPDATE shard SET start = \(Int64.max) WHERE shard = ANY($1)"

  /// What sinks of the node $2 had of the shards $1 has been answered for.
  static let forgetAnswered = "DELETE FROM retry WHERE shard = ANY($1) AND holder = $2"

  /// No lanes tell of the shards $1 any more, which are still the node $2's.
  static let leave = "UPDATE shard SET keeper = NULL WHERE shard = ANY($1) AND owner = $2"
}
