import Postgres

/// The tables of a store, in a schema of their own, so that they may stand in an app's database.
///
/// Times are milliseconds since 1970 in UTC; recipients, events, notifications and messages are
/// known by numbers that are never given out twice, and that ascend for each recipient. No index
/// stands on a random key where many rows pass: a recipient's events and notifications are chains
/// through `previous`, and due times are indexed by the wheel in memory.
///
/// What is a recipient's stands by the recipient's shard, which is the node's who owns that. A
/// partition holds several shards: each that a statement has to look into takes time. Numbers come
/// first in each key, so that a row is found by its number alone as well.
struct Schema {
  /// What is written, as the store notes it. There has been no other.
  static let format = 1
  /// The highest that is read: the next one too, so that nodes are updated one after the other.
  static let formatMax = format + 1
  static let formatNote = "format"
  static let name = "chimed"

  /// Among how many owners recipients could be divided; a power of two, for good.
  let shards: Int
  /// How many partitions each table has, of as many shards each.
  let partitions: Int

  /// Statements that make all tables in a database that has none of them.
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
        // A schedule changes at every firing: its new version finds room beside the old one, and no
        // index has to be told.
        let filling = table == "schedule" ? " WITH (fillfactor = 50)" : ""
        return "CREATE TABLE \(table)_\(part) PARTITION OF \(table) "
          + "FOR VALUES FROM (\(part * size)) TO (\((part + 1) * size))\(filling);"
      }
    }.joined()
  }

  private static let fleet = """
    -- What the service notes for itself: names, keys, how far it has come with something.
    CREATE TABLE meta (key text PRIMARY KEY, value text NOT NULL);
    -- The processes that have worked on it. Every change holds on to its node's row, so that a
    -- node can be fenced: nothing of it is written from then on.
    CREATE TABLE node (
      incarnation bigint PRIMARY KEY,
      name text NOT NULL,
      address text NOT NULL DEFAULT '',
      version text NOT NULL,
      backends integer[] NOT NULL,
      fenced boolean NOT NULL DEFAULT false,
      -- Whether it was told to stop: what its sinks have is not to blame for its end.
      stopping boolean NOT NULL DEFAULT false
    );
    -- Apart from it: a change of the node's row would wait for its own changes of the store.
    CREATE TABLE heartbeat (
      incarnation bigint PRIMARY KEY,
      at bigint NOT NULL,
      -- Whether the node takes no more, so that the others count on more: it gives everything away,
      -- or its clock is wrong.
      draining boolean NOT NULL DEFAULT false
    );
    -- The nodes that operators want to give everything away. By name: it is for the next start too.
    CREATE TABLE drained (name text PRIMARY KEY);
    CREATE TABLE shard (
      shard smallint PRIMARY KEY,
      owner bigint,
      epoch bigint NOT NULL DEFAULT 0,
      -- What its schedules were planned with.
      plan text NOT NULL DEFAULT '',
      -- Whose lanes tell what of it has been answered for, by the column `node` of these; nobody's
      -- when all of it has been.
      keeper bigint,
      -- The first notification that is for these lanes.
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
    -- Numbers are given out by blocks, so that a node asks for them seldom.
    CREATE SEQUENCE recipient_block;
    CREATE SEQUENCE event_block;
    CREATE SEQUENCE message_block;
    CREATE SEQUENCE notification_block;
    """

  /// Of what a node is told that is not to write any more.
  static let fenced = "CH001"
  /// Of what a node is told that writes what is another's.
  static let foreign = "CH002"

  /// Whether some shards, or the shards of some notifications, are a node's. No owner changes while
  /// a unit of work holds on to its node's row, so that looking is enough.
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
    -- What apps want said to those for whom much is requested, but for what stands with the facts:
    -- some of it in each row. A part is named by the event of its first request.
    CREATE TABLE request (
      shard smallint NOT NULL,
      part bigint NOT NULL,
      recipient bigint NOT NULL,
      requests bytea NOT NULL,
      PRIMARY KEY (part, shard)
    ) PARTITION BY RANGE (shard);
    CREATE INDEX request_recipient ON request (recipient);
    -- Apart from the recipient: it changes at every firing, and its rows are small.
    CREATE TABLE schedule (
      shard smallint NOT NULL,
      recipient bigint NOT NULL,
      due bigint,
      pending bigint NOT NULL,
      -- The latest notification; how many are recent, in the inbox, and unread there; and up to
      -- which all were cleared.
      head bigint NOT NULL,
      recent bigint NOT NULL,
      items bigint NOT NULL,
      unread bigint NOT NULL,
      cleared bigint NOT NULL,
      progress bytea NOT NULL,
      PRIMARY KEY (recipient, shard)
    ) PARTITION BY RANGE (shard);
    -- When a name was last erased (rule H4). It must not be kept, so it is known by two keyed
    -- hashes, of which the second stands for comparing it (rule E5).
    CREATE TABLE tombstone (
      name bigint NOT NULL,
      rest bigint NOT NULL,
      time bigint NOT NULL,
      PRIMARY KEY (name, rest)
    );
    CREATE TABLE token (
      id text PRIMARY KEY,
      name text NOT NULL,
      -- What it lets its bearer do: admin, support, observer, or recipient: and an id (rule H5).
      scope text NOT NULL,
      digest bytea NOT NULL,
      created bigint NOT NULL,
      expiry bigint,
      revoked bigint,
      -- To the hour.
      last_use bigint
    );
    CREATE INDEX ON token (scope);
    """

  private static let events = """
    CREATE TABLE event (
      shard smallint NOT NULL,
      id bigint NOT NULL,
      -- The keyed hash of (source, identifier); who has the same is compared.
      identity bigint NOT NULL,
      recipient bigint NOT NULL,
      previous bigint NOT NULL,
      -- Of an event of who was erased: the rest of its identity's hash.
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
    -- What is said, and what the catalog called it then. What many are told is found by its hash;
    -- what one person is told has none, and is that person's alone.
    CREATE TABLE message (
      id bigint PRIMARY KEY,
      hash bigint,
      reminder text NOT NULL,
      category text NOT NULL,
      title text NOT NULL,
      body text NOT NULL,
      details text NOT NULL,
      members text NOT NULL,
      -- The trace of the event that it comes from, or nothing.
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
      -- 0, or the event that asked for it again after it had been delivered.
      round bigint NOT NULL DEFAULT 0,
      planned bigint NOT NULL,
      at bigint NOT NULL,
      expiry bigint NOT NULL,
      outcome smallint NOT NULL,
      channels smallint NOT NULL,
      -- 1 if it makes no sound; the eight bits above are the person's hints, and those above them
      -- how far their clock was ahead of UTC.
      manner integer NOT NULL,
      -- What each gate said, two bits each; above 32 bits the length of a run of missed ones.
      trace bigint NOT NULL,
      message bigint NOT NULL,
      -- The notification of the same recipient before this one.
      previous bigint NOT NULL,
      -- What told of the same thing before.
      leader bigint NOT NULL,
      dismissed bigint,
      -- The channels that took over from one that had failed.
      fallback smallint NOT NULL DEFAULT 0,
      PRIMARY KEY (id, shard),
      -- No round of an occurrence has two outcomes. The index begins with the date, which all
      -- occurrences of a day share, so that a batch's rows stand side by side.
      UNIQUE (reminder, occurrence, recipient, channel_group, round, shard)
    ) PARTITION BY RANGE (shard);
    CREATE TABLE inbox (
      shard smallint NOT NULL,
      recipient bigint NOT NULL,
      -- The notification that stands for it.
      item bigint NOT NULL,
      message bigint NOT NULL,
      at bigint NOT NULL,
      read bigint,
      PRIMARY KEY (recipient, item, shard)
    ) PARTITION BY RANGE (shard);
    """

  private static let deliveries = """
    CREATE TABLE lane (
      -- The node whose it is; 0 of the one that owns everything, whichever start of it.
      node bigint NOT NULL,
      sink text NOT NULL,
      -- Up to where the sink has been handed everything, but for what is in retry.
      through bigint NOT NULL,
      -- Of which the sink is the first choice, a bit each.
      channels smallint NOT NULL,
      -- Up to where the sink may have been handed everything.
      handed bigint NOT NULL,
      PRIMARY KEY (node, sink)
    );
    -- What is attempted on its own. A delivery waits in one place at a time, so its retry needs no
    -- sink to be told apart. Without a time it is a dead letter.
    CREATE TABLE retry (
      shard smallint NOT NULL,
      notification bigint NOT NULL,
      channel smallint NOT NULL,
      sink text NOT NULL,
      attempts bigint NOT NULL,
      due bigint,
      reason text NOT NULL,
      -- The node whose sink was handed it and has not answered.
      holder bigint,
      -- At how many deaths of the service a sink had it.
      deaths bigint NOT NULL,
      PRIMARY KEY (notification, channel, shard)
    ) PARTITION BY RANGE (shard);
    CREATE INDEX ON retry (sink, due);
    -- A node passes over nothing of what waits for others.
    CREATE INDEX ON retry (sink, shard, due);
    CREATE INDEX ON retry (notification, channel) WHERE due IS NULL;
    -- What was delivered at once by a sink that had nothing to say of it is not here.
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
    -- They are few: a person changes preferences now and then. Who writes some waits until nobody
    -- else does, so that the numbers ascend in the order in which they come to be seen.
    CREATE TABLE analytics_event (
      id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
      recipient bigint NOT NULL,
      time bigint NOT NULL,
      name text NOT NULL,
      parameters bytea NOT NULL
    );
    CREATE INDEX ON analytics_event (recipient);
    -- By the recipients' own dates and hours. A day has as many rows as there are kinds of
    -- notifications, not as there are notifications.
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
