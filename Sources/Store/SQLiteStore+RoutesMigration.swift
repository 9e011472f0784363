import GRDB

extension SQLiteStore {
  /// Lanes that carry channels of their own and say what their sinks may have, deliveries that go
  /// from sink to sink and from channel to channel, and each attempt that has something to show.
  static func createRoutes(_ database: Database) throws {
    try database.execute(sql: routes)
  }

  /// A delivery waits in one place at a time, so its retry needs no sink to be told apart.
  private static let routes = """
    -- Of which the sink is the first choice, a bit each.
    ALTER TABLE lane ADD COLUMN channels INTEGER NOT NULL DEFAULT 15;
    -- Up to where the sink may have been handed everything, and by which start of the service.
    ALTER TABLE lane ADD COLUMN handed INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE lane ADD COLUMN boot INTEGER NOT NULL DEFAULT 0;
    UPDATE lane SET handed = through;
    -- The channels that took over from one that had failed.
    ALTER TABLE notification ADD COLUMN fallback INTEGER NOT NULL DEFAULT 0;
    CREATE TABLE routed (
      notification INTEGER NOT NULL,
      channel INTEGER NOT NULL,
      sink TEXT NOT NULL,
      attempts INTEGER NOT NULL,
      due INTEGER,
      reason TEXT NOT NULL,
      -- The start of the service in which the sink was handed it and has not answered.
      boot INTEGER,
      PRIMARY KEY (notification, channel)
    ) STRICT, WITHOUT ROWID;
    INSERT OR REPLACE INTO routed
      SELECT notification, channel, sink, attempts, due, reason, NULL FROM retry;
    DROP TABLE retry;
    ALTER TABLE routed RENAME TO retry;
    CREATE INDEX retry_due ON retry (sink, due);
    CREATE INDEX retry_dead ON retry (notification, channel) WHERE due IS NULL;
    -- What was delivered at once by a sink that had nothing to say of it is not here.
    CREATE TABLE attempt (
      notification INTEGER NOT NULL,
      channel INTEGER NOT NULL,
      number INTEGER NOT NULL,
      sink TEXT NOT NULL,
      at INTEGER NOT NULL,
      verdict INTEGER NOT NULL,
      status TEXT,
      excerpt TEXT NOT NULL,
      duration INTEGER,
      reason TEXT NOT NULL,
      PRIMARY KEY (notification, channel, number)
    ) STRICT, WITHOUT ROWID;
    """
}
