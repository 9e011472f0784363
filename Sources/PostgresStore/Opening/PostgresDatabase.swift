import Postgres
package import Store

/// A database on a server, and how we speak to it.
package struct PostgresDatabase: Sendable {
  /// As libpq takes it: "host=db1,db2 dbname=chimed", or a URI.
  package let location: String
  /// Ends what was connected; nil where nobody else does.
  private let cut: PostgresCut?

  package init(_ location: String) {
    self.init(location, endedBy: nil)
  }

  private init(_ location: String, endedBy cut: PostgresCut?) {
    (self.location, self.cut) = (location, cut)
  }

  /// The same with connections of its own, which take no longer to come about than a node of a
  /// fleet has, and which `disconnect` ends.
  package func apart() -> PostgresDatabase {
    let location = PostgresLocation(location).with(["connect_timeout": Self.connectMax])
    return PostgresDatabase(location.text, endedBy: PostgresCut())
  }

  /// Ends all connections of a database that is `apart`, from any thread and for good: who waits
  /// for an answer gets none.
  package func disconnect() { cut?.end() }

  /// In seconds.
  static let connectMax = "2"

  /// For messages; without a password that the location may have.
  package var name: String { PostgresLocation(location).shown }

  /// How long a session may stand in the middle of a unit of work, which itself waits for nothing
  /// but the server: that is a process that stands still, and its locks would keep others waiting.
  private static let idleMax = "60s"
  /// How long an answer to a question may take: as long as it takes, nothing is vacuumed.
  private static let answerMax = "60s"

  /// - Parameter isForQuestions: whether the session only reads. What is written takes as long as
  ///   it takes: to give it up would be to begin it anew.
  func connect(isForQuestions: Bool = false) throws(PostgresError) -> PostgresConnection {
    guard !(cut?.isDone ?? false) else {
      throw .disconnected(reason: "this node has given it up")
    }
    let settings = settings(isForQuestions)
    let connection = try ServerCheck.naming { () throws(PostgresError) in
      try PostgresConnection(location, settings: settings, endedBy: cut)
    }
    try ServerCheck(connection).checkSession()
    return connection
  }

  private func settings(_ isForQuestions: Bool) -> KeyValuePairs<String, String> {
    [
      "search_path": Schema.name,
      // Each statement is planned once, and always by the same means: what a table's statistics
      // say of a moment must not turn a look-up into a walk over everything.
      "plan_cache_mode": "force_generic_plan", "enable_seqscan": "off",
      "enable_hashjoin": "off", "enable_mergejoin": "off",
      "max_parallel_workers_per_gather": "0", "jit": "off",
      // An acknowledged event is durable (rule E3), whatever the server's own default.
      "synchronous_commit": "on",
      "default_transaction_isolation": "read\\ committed",
      "idle_in_transaction_session_timeout": Self.idleMax,
      "statement_timeout": isForQuestions ? Self.answerMax : "0",
      // A node that is gone without a word is noticed by the server as soon as the server is by
      // the node; over a Unix socket these mean nothing.
      "tcp_keepalives_idle": "5", "tcp_keepalives_interval": "3", "tcp_keepalives_count": "3",
      "tcp_user_timeout": "15000",
    ]
  }
}

extension PostgresDatabase {
  /// Among how many owners recipients may be divided.
  package static let shards = 8...1_024

  /// Makes the tables of an empty store; all of them or none.
  ///
  /// - Parameters:
  ///   - shards: among how many owners recipients could be divided; a power of two, for good.
  ///   - partitions: how many each table has; a power of two, at most as many as shards.
  ///   - isLocal: whether it is enough that what is acknowledged is on the server's own disk,
  ///     though standbys follow it.
  package func create(
    shards: Int = 64, partitions: Int = 8, durableLocally isLocal: Bool = false
  ) throws(StoreError) {
    do {
      let connection = try connect()
      try ServerCheck(connection).checkMaking(durableLocally: isLocal)
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

  /// Looks whether a store can be opened there, and changes nothing.
  package func check() throws(StoreError) {
    do {
      let connection = try connect()
      try NodeOpening(connection, self, name: "").check()
    } catch {
      throw StoreError(error, database: name)
    }
  }

  /// What is wrong with how standbys follow the server; nil if nothing is, or if it is wanted.
  package func asynchrony() throws(StoreError) -> String? {
    do {
      let connection = try connect(isForQuestions: true)
      return try ServerCheck(connection).isUnprotected() ? ServerCheck.asynchrony : nil
    } catch {
      throw StoreError(error, database: name)
    }
  }

  /// In which format the store is written.
  package func format() throws(StoreError) -> Int {
    do {
      return try NodeOpening(connect(), self, name: "").format()
    } catch {
      throw StoreError(error, database: name)
    }
  }

  private static func notes(_ shards: Int, hashKey: [UInt8]) -> [(String, String)] {
    [
      (Schema.formatNote, "\(Schema.format)"), ("shards", "\(shards)"),
      (SubmissionSchema.versionNote, "\(SubmissionSchema.version)"),
      ("instance", String(UInt64.random(in: 0...(1 << 40)), radix: 36)),
      ("hash key", HexText.text(hashKey)),
      (KeyedHash.identityNote, IdentityHash.Keys.random().text),
      ("unsubscribe key", HexText.text(KeyedHash.randomKey())),
    ]
  }
}
