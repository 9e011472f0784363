import Postgres

/// The tables of a store. They are in a separate SQL schema, so an app's database can contain them.
///
/// The columns of the tables are declared by `TableDescription` and `PostgresTable`.
///
/// Times are milliseconds since 1970 in UTC. Recipients, events, notifications and messages are
/// identified by numbers that are never reused and ascend for each recipient. Tables with heavy
/// traffic have no index on a random key. Instead, a recipient's events and notifications are
/// chains through `previous`, and the timer wheel in memory indexes due times.
///
/// A recipient's rows have the number of the recipient's shard. The node that owns the shard owns
/// the rows. A partition holds several shards, because each partition that a statement has to
/// search takes time. Keys begin with the row's own number, so that a row can also be found without
/// its shard.
struct Schema {
  /// The format that this version writes; a note in the store contains it. There has been no other
  /// format.
  static let format = 1
  /// The highest format that this version reads. It is the next format, so that nodes can be
  /// updated one after the other.
  static let formatMax = format + 1
  /// The key of the note with the format.
  static let formatNote = "format"
  /// The name of the schema.
  static let name = "chimed"

  /// The number of shards, which limits the number of owners; a power of two that never changes.
  let shards: Int
  /// The number of partitions of each table, with equally many shards each.
  let partitions: Int

  /// Statements that create all tables in an empty database.
  var script: String {
    let groups = [
      Self.fleet, Self.recipients, Self.events, Self.notifications, Self.deliveries, Self.usage,
    ]
    return "CREATE SCHEMA \(Self.name); SET search_path = \(Self.name);"
      + groups.joined() + SubmissionSchema.script + partitioning
      + "INSERT INTO shard (shard) SELECT generate_series(0, \(shards - 1));"
  }

  /// The tables that are partitioned by shard.
  private static let partitioned: [PostgresTable] = [
    .recipient, .request, .factBase, .schedule, .phone, .event, .notification, .inbox, .retry,
    .attempt,
  ]

  private var partitioning: String {
    let size = shards / partitions
    return Self.partitioned.map(\.name).flatMap { table in
      (0..<partitions).map { number in
        // A schedule changes at every firing. If its page has free space, PostgreSQL writes the new
        // version of the row there, and no index changes.
        let storage = table == "schedule" ? " WITH (fillfactor = 50)" : ""
        return "CREATE TABLE \(table)_\(number) PARTITION OF \(table) "
          + "FOR VALUES FROM (\(number * size)) TO (\((number + 1) * size))\(storage);"
      }
    }.joined()
  }

  private static let fleet = """
    -- The service's own notes: names, keys and positions.
    CREATE TABLE meta (key text PRIMARY KEY, value text NOT NULL);
    -- The processes that have worked on the store. Every change locks its node's row, so that a
    -- node can be fenced: it writes nothing afterwards.
    CREATE TABLE node (
      incarnation bigint PRIMARY KEY,
      name text NOT NULL,
      address text NOT NULL DEFAULT '',
      version text NOT NULL,
      backends integer[] NOT NULL,
      fenced boolean NOT NULL DEFAULT false,
      -- Whether it was requested to stop, or its process joined again. Its end is then no crash, of
      -- which its unanswered deliveries could be the cause.
      stopping boolean NOT NULL DEFAULT false,
      -- Its configured lease; null for a node that works alone.
      lease bigint
    );
    -- Separate from the node, because changing the node's row would wait for the node's own
    -- transactions.
    CREATE TABLE heartbeat (
      incarnation bigint PRIMARY KEY,
      at bigint NOT NULL,
      -- Whether the node claims no shards, because it drains or its clock is wrong. The other nodes
      -- then divide all shards among themselves.
      draining boolean NOT NULL DEFAULT false,
      -- How far the node's clock is ahead of the server's; null until the node has measured it.
      skew bigint
    );
    -- The nodes that operators want to drain. By name, so that it applies to the next start too.
    CREATE TABLE drained (name text PRIMARY KEY);
    CREATE TABLE shard (
      shard smallint PRIMARY KEY,
      owner bigint,
      epoch bigint NOT NULL DEFAULT 0,
      -- The fingerprint with which its schedules were planned.
      plan text NOT NULL DEFAULT '',
      -- The node whose lanes (their column `node`) hold the unanswered notifications of the shard;
      -- null if all are answered.
      keeper bigint,
      -- The first notification of the shard that is in the keeper's lanes.
      start bigint NOT NULL DEFAULT 0
    );
    -- The deliveries that were in flight at a node when another node took over its shards, as far
    -- as `retry.deaths` counts this as a crash of the node's process. If the process joins again,
    -- it did not crash. The rows of answered deliveries are deleted at the shard's next takeover.
    CREATE TABLE crash (
      node bigint NOT NULL,
      shard smallint NOT NULL,
      notification bigint NOT NULL,
      channel smallint NOT NULL
    );
    CREATE INDEX ON crash (node);
    CREATE INDEX ON crash (notification);
    CREATE FUNCTION fence(mine bigint) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM 1 FROM chimed.node WHERE incarnation = mine AND NOT fenced FOR SHARE;
      IF NOT FOUND THEN
        RAISE EXCEPTION 'another node has taken over' USING ERRCODE = '\(fencedCode)';
      END IF;
    END $$;
    \(guards)
    -- Each number of a sequence stands for a block of numbers, so that a node seldom reads it.
    CREATE SEQUENCE recipient_block;
    CREATE SEQUENCE event_block;
    CREATE SEQUENCE message_block;
    CREATE SEQUENCE notification_block;
    """

  /// The error code for a node that is fenced.
  static let fencedCode = "CH001"
  /// The error code for a node that writes to another node's shard.
  static let foreignShardCode = "CH002"

  /// Functions that check that a node owns the given shards, or the shards of the given
  /// notifications. Owners cannot change while a unit of work locks its node's row, so it is enough
  /// to read the owners.
  private static let guards = """
    CREATE FUNCTION guard(mine bigint, touched bigint[], epochs bigint[])
    RETURNS void LANGUAGE plpgsql AS $$
    DECLARE other bigint;
    BEGIN
      SELECT t.shard INTO other FROM unnest(touched, epochs) AS t(shard, epoch)
      LEFT JOIN chimed.shard s ON s.shard = t.shard AND s.owner = mine AND s.epoch = t.epoch
      WHERE s.shard IS NULL LIMIT 1;
      IF FOUND THEN
        RAISE EXCEPTION 'shard % is not this node''s', other USING ERRCODE = '\(foreignShardCode)';
      END IF;
    END $$;
    CREATE FUNCTION guard_notifications(mine bigint, numbers bigint[])
    RETURNS void LANGUAGE plpgsql AS $$
    DECLARE other bigint;
    BEGIN
      SELECT n.shard INTO other FROM unnest(numbers) AS t(number)
      JOIN chimed.notification n ON n.id = t.number
      LEFT JOIN chimed.shard s ON s.shard = n.shard AND s.owner = mine
      WHERE s.shard IS NULL LIMIT 1;
      IF FOUND THEN
        RAISE EXCEPTION 'shard % is not this node''s', other USING ERRCODE = '\(foreignShardCode)';
      END IF;
    END $$;
    """

  private static let recipients = """
    \(PostgresTable.recipient.creation)
    \(PostgresTable.request.creation)
    CREATE INDEX request_recipient ON request (recipient);
    \(PostgresTable.factBase.creation)
    CREATE INDEX ON fact_base (expiry) WHERE expiry IS NOT NULL;
    \(PostgresTable.schedule.creation)
    \(PostgresTable.phone.creation)
    CREATE INDEX ON phone (number);
    \(PostgresTable.tombstone.creation)
    \(PostgresTable.token.creation)
    CREATE INDEX ON token (scope);
    \(PostgresTable.adoption.creation)
    \(PostgresTable.adoptedText.creation)
    """

  private static let events = """
    \(PostgresTable.event.creation)
    CREATE INDEX ON event (identity);
    """

  private static let notifications = """
    \(PostgresTable.message.creation)
    CREATE INDEX ON message (hash) WHERE hash IS NOT NULL;
    \(PostgresTable.notification.creation)
    -- A round of an occurrence has at most one outcome. The index begins with the reminder and
    -- the occurrence (often a date that a whole day shares), so that the rows of a batch are
    -- adjacent.
    CREATE UNIQUE INDEX
      ON notification (reminder, occurrence, recipient, channel_group, round, shard);
    \(PostgresTable.inbox.creation)
    """

  private static let deliveries = """
    \(PostgresTable.lane.creation)
    \(PostgresTable.retry.creation)
    CREATE INDEX ON retry (sink, due);
    -- This index lets a node find its own retries without visiting those of other nodes.
    CREATE INDEX ON retry (sink, shard, due);
    CREATE INDEX ON retry (notification, channel) WHERE due IS NULL;
    \(PostgresTable.attempt.creation)
    """

  private static let usage = """
    -- Writers of analytics events wait for each other, so that numbers become visible in ascending
    -- order.
    \(PostgresTable.analytics.creation)
    CREATE INDEX ON analytics_event (recipient);
    \(PostgresTable.usage.creation)
    """
}
