import Postgres
package import Store

/// A database on a server, and the settings of its sessions.
package struct PostgresDatabase: Sendable {
  /// A libpq connection string: "host=db1,db2 dbname=chimed", or a URI.
  package let location: String
  /// Ends all connections that were made with these settings; nil if `disconnect` has no effect.
  private let cut: PostgresCut?

  package init(_ location: String) {
    self.init(location, endedBy: nil)
  }

  private init(_ location: String, endedBy cut: PostgresCut?) {
    (self.location, self.cut) = (location, cut)
  }

  /// Returns a copy of these settings whose connections can be ended by `disconnect`. Connecting
  /// has the timeout `connectMax`, which suits a node of a fleet.
  package func withSeparateConnections() -> PostgresDatabase {
    let location = PostgresLocation(location).with(["connect_timeout": Self.connectMax])
    return PostgresDatabase(location.text, endedBy: PostgresCut())
  }

  /// Ends all connections that were made with these settings, and prevents new ones. Calls that
  /// wait for the server then fail. Has no effect on settings that do not come from
  /// `withSeparateConnections`. Thread-safe.
  package func disconnect() { cut?.end() }

  /// The timeout of connecting, in seconds.
  static let connectMax = "2"

  /// The location for messages, without its password.
  package var name: String { PostgresLocation(location).shown }

  /// How long a session may be idle in a transaction. A session that is idle for longer has stopped
  /// working, because a transaction waits only for the server. Its locks would block others.
  private static let idleMax = "60s"
  /// The timeout of a query. A query without it could hold a snapshot for long, which prevents
  /// vacuuming.
  private static let queryTimeout = "60s"

  /// Opens a session, and checks the requirements of every session.
  ///
  /// - Parameter onlyReads: whether the session only reads. Statements of other sessions have no
  ///   timeout, because they would have to be repeated.
  func connect(onlyReads: Bool = false) throws(PostgresError) -> PostgresConnection {
    guard !(cut?.isDone ?? false) else {
      throw .disconnected(reason: "this node has ended its connections to it")
    }
    let settings = settings(onlyReads)
    let connection = try ServerCheck.explainingRejection(of: settings) {
      () throws(PostgresError) in
      try PostgresConnection(location, settings: settings, endedBy: cut)
    }
    try ServerCheck(connection).checkSession()
    return connection
  }

  private func settings(_ onlyReads: Bool) -> KeyValuePairs<String, String> {
    [
      "search_path": Schema.name,
      // Each statement is planned once and always in the same way. So temporary statistics of a
      // table cannot turn a look-up into a sequential scan.
      "plan_cache_mode": "force_generic_plan", "enable_seqscan": "off",
      "enable_hashjoin": "off", "enable_mergejoin": "off",
      "max_parallel_workers_per_gather": "0", "jit": "off",
      // An acknowledged event is durable (rule E3), regardless of the server's default.
      "synchronous_commit": "on",
      "default_transaction_isolation": "read\\ committed",
      "idle_in_transaction_session_timeout": Self.idleMax,
      "statement_timeout": onlyReads ? Self.queryTimeout : "0",
      // The server notices the loss of a node as fast as the node notices the loss of the server.
      // These settings have no effect over a Unix socket.
      "tcp_keepalives_idle": "5", "tcp_keepalives_interval": "3", "tcp_keepalives_count": "3",
      "tcp_user_timeout": "15000",
    ]
  }
}

extension PostgresDatabase {
  /// The possible numbers of shards, of which only powers of two are used.
  package static let shards = 8...1_024

  /// Creates the tables of an empty store, in one transaction.
  ///
  /// - Parameters:
  ///   - shards: the number of shards, and thus the maximum number of owners: a power of two that
  ///     never changes.
  ///   - partitions: the number of partitions of each table: a power of two, at most the number of
  ///     shards.
  ///   - isLocal: whether acknowledged data need only be on the server's own disk, although
  ///     standbys follow the server.
  package func create(
    shards: Int = 64, partitions: Int = 8, durableLocally isLocal: Bool = false
  ) throws(StoreError) {
    do {
      let connection = try connect()
      try ServerCheck(connection).checkCreation(durableLocally: isLocal)
      let schema = Schema(shards: shards, partitions: partitions)
      try connection.run(script: "BEGIN;" + schema.script)
      let key = KeyedHash.randomKey()
      var notes = Self.notes(shards, hashKey: key) + SubmissionSchema.notes(key: key)
      if isLocal { notes.append((ServerCheck.durabilityNote, "local")) }
      try connection.send(
        "INSERT INTO meta SELECT * FROM unnest($1::text[], $2::text[])",
        [.texts(notes.map(\.0)), .texts(notes.map(\.1))])
      try Continuity(connection).write()
      try connection.commit()
    } catch {
      throw StoreError(error, database: name)
    }
  }

  /// Checks whether a store can be opened, and changes nothing.
  package func check() throws(StoreError) {
    do {
      let connection = try connect()
      try NodeOpening(connection, self, name: "").check()
    } catch {
      throw StoreError(error, database: name)
    }
  }

  /// Returns the fault of the server's replication; nil if it has none, or if the operator has
  /// accepted it.
  package func replicationFault() throws(StoreError) -> String? {
    do {
      let connection = try connect(onlyReads: true)
      return try ServerCheck(connection).isUnprotected() ? ServerCheck.asynchronyFault : nil
    } catch {
      throw StoreError(error, database: name)
    }
  }

  /// Returns the format of the store.
  package func format() throws(StoreError) -> Int {
    do {
      return try NodeOpening(connect(), self, name: "").format()
    } catch {
      throw StoreError(error, database: name)
    }
  }

  /// Returns the notes of a new store.
  private static func notes(_ shards: Int, hashKey: [UInt8]) -> [(String, String)] {
    [
      (Schema.formatNote, "\(Schema.format)"), ("shards", "\(shards)"),
      (SubmissionSchema.versionNote, "\(SubmissionSchema.version)"),
      ("instance", String(UInt64.random(in: 0...(1 << 40)), radix: 36)),
      ("hash key", HexText.text(hashKey)),
      (KeyedHash.identityNote, IdentityHash.Keys.random().text),
      ("link key", HexText.text(KeyedHash.randomKey())),
    ]
  }
}
