import Postgres

/// The tables of a store, in their own schema, so that they can be in an app's database.
///
/// Times are milliseconds since 1970 in UTC. Recipients, events, notifications and messages are
/// identified by numbers that are never reused and ascend for each recipient. Tables with heavy
/// traffic have no index on a random key: a recipient's events and notifications are chains through
/// `previous`, and due times are indexed by the wheel in memory.
///
/// A recipient's rows have the recipient's shard, which decides the owning node. A partition holds
/// several shards, because each partition that a statement has to search takes time. Keys begin
/// with the number, so that a row can also be found by its number alone.
struct Schema {
  /// The format that this version writes, as noted in the store. There has been no other.
  static let format = 1
  /// The highest format that this version reads. It includes the next one, so that nodes can be
  /// updated one after the other.
  static let formatMax = format + 1
  static let formatNote = "format"
  static let name = "chimed"

  /// The number of shards, which limits the number of owners; a power of two that never changes.
  let shards: Int
  /// The number of partitions of each table, with equally many shards each.
  let partitions: Int

  /// Statements that create all tables in an empty database.
  var script: String {
    let parts = [Self.fleet, Self.people, Self.events, Self.notifications, Self.deliveries]
    return "CREATE SCHEMA \(Self.name); SET search_path = \(Self.name);"
      + parts.joined() + Self.measures + SubmissionSchema.script + partitioning
      + "INSERT INTO shard (shard) SELECT generate_series(0, \(shards - 1));"
  }

  private static let partitioned = [
    "recipient", "request", "schedule", "event", "notification", "inbox", "retry", "attempt",
  ]

  private var partitioning: String {
    let size = shards / partitions
    return Self.partitioned.flatMap { table in
      (0..<partitions).map { part in
        // A schedule changes at every firing. With free space in its page, the new version stays
        // beside the old one and no index changes.
        let filling = table == "schedule" ? " WITH (fillfactor = 50)" : ""
        return "CREATE TABLE \(table)_\(part) PARTITION OF \(table) "
          + "FOR VALUES FROM (\(part * size)) TO (\((part + 1) * size))\(filling);"
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
      -- Whether it was asked to stop, or its process joined again, so that unanswered deliveries
      -- are not blamed for its end.
      stopping boolean NOT NULL DEFAULT false,
      -- Its configured lease; null for a node that works alone.
      lease bigint
    );
    -- Separate from the node, because changing the node's row would wait for the node's own
    -- transactions.
    CREATE TABLE heartbeat (
      incarnation bigint PRIMARY KEY,
      at bigint NOT NULL,
      -- Whether the node takes no new shards, so that the others share them: it drains, or its
      -- clock is wrong.
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
      -- The first notification for these lanes.
      start bigint NOT NULL DEFAULT 0
    );
    CREATE FUNCTION fence(mine bigint) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM 1 FROM chimed.node WHERE incarnation = mine AND NOT fenced FOR SHARE;
      IF NOT FOUND THEN
        RAISE EXCEPTION 'another node has taken over' USING ERRCODE = '\(fenced)';
      END IF;
    END $$;
    \(guards)
    -- Numbers are assigned in blocks, so that a node seldom asks for them.
    CREATE SEQUENCE recipient_block;
    CREATE SEQUENCE event_block;
    CREATE SEQUENCE message_block;
    CREATE SEQUENCE notification_block;
    """

  /// The error code for a node that is fenced.
  static let fenced = "CH001"
  /// The error code for a node that writes to another node's shard.
  static let foreign = "CH002"

  /// Functions that check that a node owns shards, or the shards of notifications. Owners cannot
  /// change while a unit of work locks its node's row, so that reading is enough.
  private static let guards = """
    CREATE FUNCTION guard(mine bigint, touched bigint[], epochs bigint[])
    RETURNS void LANGUAGE plpgsql AS $$
    DECLARE other bigint;
    BEGIN
      SELECT t.shard INTO other FROM unnest(touched, epochs) AS t(shard, epoch)
      LEFT JOIN chimed.shard s ON s.shard = t.shard AND s.owner = mine AND s.epoch = t.epoch
      WHERE s.shard IS NULL LIMIT 1;
      IF FOUND THEN
        RAISE EXCEPTION 'shard % is not this node''s', other USING ERRCODE = '\(foreign)';
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
        RAISE EXCEPTION 'shard % is not this node''s', other USING ERRCODE = '\(foreign)';
      END IF;
    END $$;
    """

  private static let people = """
    CREATE TABLE recipient (
      shard smallint NOT NULL,
      id bigint NOT NULL,
      name text COLLATE "C" NOT NULL,
      last_event bigint NOT NULL,
      facts bytea NOT NULL,
      PRIMARY KEY (id, shard),
      UNIQUE (name, shard)
    ) PARTITION BY RANGE (shard);
    -- Requests of a recipient that do not fit into the row with the facts. Each row holds some of
    -- them. Its number is the event of its first request.
    CREATE TABLE request (
      shard smallint NOT NULL,
      part bigint NOT NULL,
      recipient bigint NOT NULL,
      requests bytea NOT NULL,
      PRIMARY KEY (part, shard)
    ) PARTITION BY RANGE (shard);
    CREATE INDEX request_recipient ON request (recipient);
    -- Separate from the recipient, because it changes at every firing and its rows are small.
    CREATE TABLE schedule (
      shard smallint NOT NULL,
      recipient bigint NOT NULL,
      due bigint,
      pending bigint NOT NULL,
      -- The latest notification; the numbers of recent notifications, inbox items and unread items;
      -- and the last cleared notification.
      head bigint NOT NULL,
      recent bigint NOT NULL,
      items bigint NOT NULL,
      unread bigint NOT NULL,
      cleared bigint NOT NULL,
      progress bytea NOT NULL,
      PRIMARY KEY (recipient, shard)
    ) PARTITION BY RANGE (shard);
    -- When a name was last erased (rule H4). The name must not be stored, so two keyed hashes
    -- identify it; the second takes the place of comparing the name (rule E5).
    CREATE TABLE tombstone (
      name bigint NOT NULL,
      rest bigint NOT NULL,
      time bigint NOT NULL,
      PRIMARY KEY (name, rest)
    );
    CREATE TABLE token (
      id text PRIMARY KEY,
      name text NOT NULL,
      -- The bearer's permissions: admin, support, observer, or "recipient:" and an id (rule H5).
      scope text NOT NULL,
      digest bytea NOT NULL,
      created bigint NOT NULL,
      expiry bigint,
      revoked bigint,
      -- Rounded to the hour.
      last_use bigint
    );
    CREATE INDEX ON token (scope);
    """

  private static let events = """
    CREATE TABLE event (
      shard smallint NOT NULL,
      id bigint NOT NULL,
      -- The keyed hash of (source, identifier). Events with equal hashes are compared.
      identity bigint NOT NULL,
      recipient bigint NOT NULL,
      previous bigint NOT NULL,
      -- For an erased event: the second hash of its identity.
      time bigint NOT NULL,
      is_time_given boolean NOT NULL,
      received bigint NOT NULL,
      source text NOT NULL,
      identifier text NOT NULL,
      type text NOT NULL,
      data bytea NOT NULL,
      PRIMARY KEY (id, shard)
    ) PARTITION BY RANGE (shard);
    CREATE INDEX ON event (identity);
    """

  private static let notifications = """
    -- Messages with the catalog's names at that time. A shared message is found by its hash. A
    -- private message of one recipient has no hash.
    CREATE TABLE message (
      id bigint PRIMARY KEY,
      hash bigint,
      reminder text NOT NULL,
      category text NOT NULL,
      title text NOT NULL,
      body text NOT NULL,
      details text NOT NULL,
      members text NOT NULL,
      -- The trace of the event that caused it, or empty.
      trace text NOT NULL
    );
    CREATE INDEX ON message (hash) WHERE hash IS NOT NULL;
    CREATE TABLE notification (
      shard smallint NOT NULL,
      id bigint NOT NULL,
      recipient bigint NOT NULL,
      reminder bigint NOT NULL,
      occurrence bigint NOT NULL,
      channel_group smallint NOT NULL,
      -- 0, or the event that requested the occurrence again after its delivery.
      round bigint NOT NULL DEFAULT 0,
      planned bigint NOT NULL,
      at bigint NOT NULL,
      expiry bigint NOT NULL,
      outcome smallint NOT NULL,
      channels smallint NOT NULL,
      -- 1 if silent. The next eight bits are the recipient's hints, and those above them the offset
      -- of the recipient's local time from UTC.
      manner integer NOT NULL,
      -- The verdict of each gate, two bits each. Above 32 bits: the length of a run of missed
      -- occurrences.
      trace bigint NOT NULL,
      message bigint NOT NULL,
      -- The recipient's previous notification.
      previous bigint NOT NULL,
      -- The notification that came first for the same thing.
      leader bigint NOT NULL,
      dismissed bigint,
      -- The fallback channels that replaced a failed one.
      fallback smallint NOT NULL DEFAULT 0,
      PRIMARY KEY (id, shard),
      -- A round of an occurrence has at most one outcome. The index begins with the reminder and
      -- the occurrence (often a date that a whole day shares), so that the rows of a batch are
      -- adjacent.
      UNIQUE (reminder, occurrence, recipient, channel_group, round, shard)
    ) PARTITION BY RANGE (shard);
    CREATE TABLE inbox (
      shard smallint NOT NULL,
      recipient bigint NOT NULL,
      -- The notification that the item shows.
      item bigint NOT NULL,
      message bigint NOT NULL,
      at bigint NOT NULL,
      read bigint,
      PRIMARY KEY (recipient, item, shard)
    ) PARTITION BY RANGE (shard);
    """

  private static let deliveries = """
    CREATE TABLE lane (
      -- The node that the lane belongs to; 0 for a node that owns everything, at any start.
      node bigint NOT NULL,
      sink text NOT NULL,
      -- The cursor: everything up to here is answered or in retry.
      through bigint NOT NULL,
      -- The channels for which the sink is the first in the route, one bit each.
      channels smallint NOT NULL,
      -- The last notification that may have been dispatched.
      handed bigint NOT NULL,
      PRIMARY KEY (node, sink)
    );
    -- Retries. A delivery has at most one, so the sink is not part of the key. Without a due time
    -- it is a dead letter.
    CREATE TABLE retry (
      shard smallint NOT NULL,
      notification bigint NOT NULL,
      channel smallint NOT NULL,
      sink text NOT NULL,
      attempts bigint NOT NULL,
      due bigint,
      reason text NOT NULL,
      -- The node that dispatched it and has no answer yet.
      holder bigint,
      -- The number of crashes while it was in flight.
      deaths bigint NOT NULL,
      PRIMARY KEY (notification, channel, shard)
    ) PARTITION BY RANGE (shard);
    CREATE INDEX ON retry (sink, due);
    -- With this index, a node skips no rows that wait for others.
    CREATE INDEX ON retry (sink, shard, due);
    CREATE INDEX ON retry (notification, channel) WHERE due IS NULL;
    -- Deliveries that succeeded at once without a remark from the sink are not recorded here.
    CREATE TABLE attempt (
      shard smallint NOT NULL,
      notification bigint NOT NULL,
      channel smallint NOT NULL,
      number bigint NOT NULL,
      sink text NOT NULL,
      at bigint NOT NULL,
      verdict smallint NOT NULL,
      status text,
      excerpt text NOT NULL,
      duration bigint,
      reason text NOT NULL,
      PRIMARY KEY (notification, channel, number, shard)
    ) PARTITION BY RANGE (shard);
    """

  private static let measures = """
    -- There are few, since people seldom change preferences. Writers wait for each other, so that
    -- numbers become visible in ascending order.
    CREATE TABLE analytics_event (
      id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
      recipient bigint NOT NULL,
      time bigint NOT NULL,
      name text NOT NULL,
      parameters bytea NOT NULL
    );
    CREATE INDEX ON analytics_event (recipient);
    -- By the recipients' local dates and hours. The number of rows of a day depends on the kinds of
    -- notifications, not on their number.
    CREATE TABLE usage (
      date bigint NOT NULL,
      category text NOT NULL,
      channel smallint NOT NULL,
      hour smallint NOT NULL,
      measure text NOT NULL,
      reason smallint NOT NULL,
      count bigint NOT NULL,
      PRIMARY KEY (date, category, channel, hour, measure, reason)
    );
    """
}
