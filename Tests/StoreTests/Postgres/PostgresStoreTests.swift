import Access
import CivilTime
import Postgres
import PostgresServer
import PostgresStore
import Reminders
import Store
import Testing

/// Behaviour that only the PostgreSQL store has: nodes, fences, and a COMMIT without an answer.
@Suite(.enabled(if: PostgresServer.isAvailable, Comment(rawValue: PostgresServer.comment)))
struct PostgresStoreTests {
  private let database: TemporaryPostgresDatabase
  private let other: PostgresConnection

  init() throws {
    database = try TemporaryPostgresDatabase()
    other = try PostgresConnection(database.location)
  }

  private func save(_ word: String, in store: PostgresStore) throws {
    try store.commit { try $0.saveNote("word", word) }
  }

  @Test func `a fenced node writes nothing`() throws {
    let store = try PostgresStore.making(in: database)
    try save("before", in: store)
    try other.run(script: "UPDATE chimed.node SET fenced = true")
    #expect(throws: StoreError.self) { try save("after", in: store) }
    #expect(try store.readers.read { try $0.note("word") } == "before")
  }

  @Test func `a second node is refused, and a later one fences the previous`() throws {
    var first: PostgresStore? = try PostgresStore.making(in: database)
    let error = #expect(throws: StoreError.self) {
      _ = try PostgresStore.opening(database, timeout: .milliseconds(1))
    }
    #expect("\(try #require(error))".contains("another chimed works on it"))
    #expect(first != nil)
    first = nil
    let second = try PostgresStore.opening(database)
    try save("second", in: second)
    var fenced: [Int64] = []
    try other.query("SELECT fenced FROM chimed.node ORDER BY fenced") {
      fenced.append($0.integer(0))
    }
    #expect(fenced == [0, 1])
  }

  @Test func `a role that has taken the service's lock is named`() throws {
    _ = try PostgresStore.making(in: database)
    let role = "app_\(UInt32.random(in: 0 ... .max))"
    try other.run(script: "CREATE ROLE \(role) LOGIN")
    defer { try? other.run(script: "DROP ROLE \(role)") }
    let app = try PostgresConnection(
      PostgresLocation(database.location).with(["user": role]).text)
    try app.run(script: "SELECT pg_advisory_lock(\(0x6368_696d))")
    let error = #expect(throws: StoreError.self) {
      _ = try PostgresStore.opening(database, timeout: .milliseconds(1))
    }
    #expect("\(try #require(error))".contains("a session of the role \(role) has the lock"))
    withExtendedLifetime(app) {}
  }

  @Test func `a commit without an answer ends the store`() throws {
    let store = try PostgresStore.making(in: database)
    try save("before", in: store)
    // The connection ends in the middle of the COMMIT.
    try other.run(
      script: """
        CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
        CREATE CONSTRAINT TRIGGER die AFTER UPDATE ON chimed.meta DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION die();
        """)
    func isUnknown() throws -> Bool {
      let error = #expect(throws: StoreError.self) { try save("after", in: store) }
      if case .commitUnknown = try #require(error) { return true }
      return false
    }
    #expect(try isUnknown())
    // A node that does not know whether its commit succeeded writes nothing else.
    #expect(try isUnknown())
    #expect(throws: StoreError.self) { try store.commit { try $0.lanes() } }
  }

  @Test func `a connection that ends before the commit leaves nothing behind`() throws {
    let store = try PostgresStore.making(in: database)
    try save("before", in: store)
    let error = #expect(throws: StoreError.self) {
      try store.commit { transaction in
        try transaction.saveNote("word", "after")
        try other.query(
          """
          SELECT pg_terminate_backend(pid) FROM pg_locks
          WHERE locktype = 'advisory' AND database = (
            SELECT oid FROM pg_database WHERE datname = current_database())
          """
        ) { _ in }
        _ = try transaction.lanes()
      }
    }
    if case .failed? = error {} else { Issue.record("\(String(describing: error))") }
    let next = try PostgresStore.opening(database)
    #expect(try next.commit { try $0.note("word") } == "before")
  }

  @Test func `S10: the error of a row that cannot be read identifies the row`() throws {
    let store = try PostgresStore.making(in: database)
    let token = TokenRecord(
      identifier: "t1", name: "app", scope: .administrator, digest: [1],
      created: Fixtures.noon)
    try store.commit { try $0.save(tokens: [token]) }
    try other.run(script: "UPDATE chimed.token SET scope = 'none'")
    let error = #expect(throws: StoreError.self) { try store.commit { try $0.tokens() } }
    #expect(
      "\(try #require(error))".contains("a row of the table token with id t1 cannot be read"))
  }

  @Test func `numbers continue after a restart`() throws {
    var store: PostgresStore? = try PostgresStore.making(in: database)
    func append(_ identifier: String) throws -> Int64 {
      let store = try #require(store)
      return try store.commit { transaction in
        let event = Fixtures.event(identifier)
        let match = try transaction.match(event, at: nil)
        guard case .new(let slot) = match else { throw Unexpected() }
        let known = try transaction.recipient(named: event.recipient)
        var stored = known ?? transaction.admit(Recipient(name: "amina", now: event.time))
        stored.lastEvent = try transaction.append(
          event, slot: slot, row: stored.row, previous: stored.lastEvent, received: event.time)
        stored.hasUnsavedFacts = true
        try transaction.save([stored], [Schedule(due: nil, pending: 0)])
        return stored.lastEvent
      }
    }
    let first = try append("1")
    store = nil
    store = try PostgresStore.opening(database)
    let second = try append("2")
    #expect(second > first)
    #expect(try store?.readers.read { try $0.recipient(row: 1)?.lastEvent } == second)
  }

  /// Returns the gap that a change and the next start leave in the numbers of notifications.
  private func numberGap(_ change: () throws -> Void) throws -> Int64 {
    var store: PostgresStore? = try PostgresStore.opening(database)
    let last = try #require(store).lastNotification
    store = nil
    try change()
    store = try PostgresStore.opening(database)
    return try #require(store).lastNotification - last
  }

  /// Restores `chimed.meta` like `pg_restore`, into an existing or a new table.
  private func restore(recreatesTable: Bool) throws {
    let sequences = ["event_block", "message_block", "notification_block"]
    for sequence in sequences { try other.run(script: "SELECT setval('chimed.\(sequence)', 1)") }
    try other.run(script: "CREATE TABLE dump AS TABLE chimed.meta")
    try other.run(
      script: recreatesTable
        ? """
        DROP TABLE chimed.meta;
        CREATE TABLE chimed.meta (key text PRIMARY KEY, value text NOT NULL)
        """ : "TRUNCATE chimed.meta")
    try other.run(script: "INSERT INTO chimed.meta TABLE dump; DROP TABLE dump")
  }

  @Test(arguments: [false, true])
  func `D1: a store restored from a dump reuses no number`(
    recreatesTable: Bool
  ) throws {
    _ = try PostgresStore.making(in: database)
    // Each start begins a new block of numbers.
    let blockSize = 1 << 24 as Int64
    #expect(try numberGap {} == blockSize)
    #expect(try numberGap { try restore(recreatesTable: recreatesTable) } > 1_000_000_000)
    #expect(try numberGap {} == blockSize)
  }

  @Test func `D1: a copied database reuses no number of the original`() throws {
    _ = try PostgresStore.making(in: database)
    #expect(
      try numberGap {
        try other.run(
          script: """
            UPDATE chimed.meta SET value = regexp_replace(value, '/.*/', '/1/')
            WHERE key = 'server'
            """)
      } > 1_000_000_000)
  }

  @Test func `the settings of a role do not affect the store`() throws {
    let role = "odd_\(UInt32.random(in: 0 ... .max))"
    try other.run(
      script: """
        CREATE ROLE \(role) LOGIN SUPERUSER;
        ALTER ROLE \(role) SET standard_conforming_strings = off;
        ALTER ROLE \(role) SET default_transaction_read_only = on;
        ALTER ROLE \(role) SET lock_timeout = '1ms';
        ALTER ROLE \(role) SET idle_session_timeout = '1ms'
        """)
    defer {
      try? other.run(script: "REASSIGN OWNED BY \(role) TO chimed; DROP ROLE \(role)")
    }
    let location = PostgresLocation(database.location).with(["user": role]).text
    let database = PostgresDatabase(location)
    try database.create(shards: 8, partitions: 2)
    let store = try PostgresStore(database, node: "test", at: Fixtures.noon)
    try save("word", in: store)
    var shard: Int64?
    try other.query("SELECT chimed.shard_of('amina')") { shard = $0.integer(0) }
    #expect(shard.map(Int.init) == store.readers.shard(of: "amina"))
  }

  @Test func `H6: a query whose session has ended is repeated`() throws {
    let store = try PostgresStore.making(in: database)
    try save("before", in: store)
    func read() throws -> String? { try store.readers.read { try $0.note("word") } }
    #expect(try read() == "before")
    var ended = 0
    try other.query(
      """
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity a
      WHERE datname = current_database() AND pid <> pg_backend_pid()
        AND NOT EXISTS (SELECT FROM pg_locks l WHERE l.pid = a.pid AND locktype = 'advisory')
      """
    ) { _ in ended += 1 }
    #expect(ended == 1)
    #expect(try read() == "before")
  }

  @Test func `the error about lost prepared statements names a connection pooler`() throws {
    let connection = try PostgresConnection(database.location)
    try connection.query("SELECT 1") { _ in }
    try connection.run(script: "DEALLOCATE ALL")
    let error = #expect(throws: PostgresError.self) { try connection.query("SELECT 1") { _ in } }
    #expect("\(try #require(error))".contains("PgBouncer"))
  }

  @Test func `a database without tables is reported as such`() throws {
    let error = #expect(throws: StoreError.self) { _ = try PostgresStore.opening(database) }
    #expect("\(try #require(error))".contains("has no tables of chimed yet"))
  }

  @Test func `more than 1,024 shards are refused`() throws {
    _ = try PostgresStore.making(in: database)
    try other.run(script: "UPDATE chimed.meta SET value = '2048' WHERE key = 'shards'")
    let error = #expect(throws: StoreError.self) { _ = try PostgresStore.opening(database) }
    #expect("\(try #require(error))".contains("2048 shards, and this version knows 1024 at most"))
  }

  @Test func `the error for a role without the right to create names the grant`() throws {
    let role = "guest_\(UInt32.random(in: 0 ... .max))"
    try other.run(script: "CREATE ROLE \(role) LOGIN")
    defer { try? other.run(script: "DROP ROLE \(role)") }
    let location = database.location.replacing("user=chimed", with: "user=\(role)")
    let error = #expect(throws: StoreError.self) { try PostgresDatabase(location).create() }
    #expect("\(try #require(error))".contains("let its owner say GRANT CREATE ON DATABASE"))
  }

  /// Many rows are sent by COPY, few by parameters.
  @Test(arguments: [1, 511, 512, 2_000])
  func `many rows are written with the same result as few`(_ count: Int) throws {
    let store = try PostgresStore.making(in: database)
    let events = try store.fill(count)
    try store.commit { transaction in
      let lookups = try transaction.lookups(of: [events])
      #expect(try zip(events, lookups).allSatisfy { try transaction.match($0, at: $1).isSame })
      var counts: Set<NotificationCounts> = []
      var seen = 0
      try transaction.forEachRecipient(named: events.map(\.recipient)) { stored in
        seen += 1
        var count = stored.counts
        count.head = 0
        counts.insert(count)
      }
      #expect(seen == count)
      #expect(counts.map { [$0.recent, $0.items, $0.unread] } == [[1, 1, 1]])
      let found = try transaction.deliveries(after: 0, limit: 5_000, on: .all)
      #expect(found.deliveries.map(\.recipient) == events.map(\.recipient))
    }
  }

  /// Returns the store of a fleet's node that owns all shards. The query plans of the store's
  /// statements are logged; those of the node's membership are not.
  private func storeOfFleetNode() throws -> PostgresStore {
    try PostgresDatabase(database.location).create(shards: 8, partitions: 2)
    let membership = try Membership.joining(database, as: "test")
    try membership.claim(Set(0..<8))
    try database.logPlans()
    let store = try PostgresStore.joining(membership)
    let acquired = try store.commit { try $0.acquire(Set(0..<8), plan: "", now: Fixtures.noon) }
    #expect(acquired.shards.count == 8)
    return store
  }

  private func singleStore() throws -> PostgresStore {
    try database.logPlans()
    return try .making(in: database)
  }

  /// Second outcomes are rare. So the store inserts without a lookup, and looks up only after a
  /// refused insert.
  @Test func `a second outcome is found by repeating the unit of work`() throws {
    let store = try singleStore()
    _ = try store.fill(3)
    #expect(store.unitRetryCount == 0)
    var runs = 0
    let numbers = try store.commit { transaction in
      runs += 1
      var batch = try transaction.recipients(rows: [1, 2, 3])
      let records = [
        Fixtures.record(row: 1, key: 2),
        Fixtures.record(row: 2, key: 1).on(.inapp, channels: [], paired: false),
        Fixtures.record(row: 3, key: 2),
      ]
      return try transaction.record(records, of: &batch)
    }
    #expect(runs == 2 && store.unitRetryCount == 1)
    #expect(numbers.map { $0 == nil } == [false, true, false])
  }

  @Test func `rows that are read ahead equal those read when needed`() throws {
    let store = try singleStore()
    _ = try store.fill(30)
    let groups: [ArraySlice<UInt32>] = [[1, 2, 3], [4, 7, 999], [8]]
    let read = try store.commit { transaction in
      for group in groups { try transaction.expect(rows: group) }
      // Another query and another change come in between.
      let others = try transaction.recipients(rows: [20, 21])
      try transaction.save(others, others.map { _ in Schedule(due: nil, pending: 4) })
      return [others] + (try groups.map { try transaction.recipients(rows: $0) })
    }
    #expect(read.map { $0.map(\.row) } == [[20, 21], [1, 2, 3], [4, 7], [8]])
    let known = try store.readers.read { reader in
      try groups.map { try reader.recipients(rows: $0) }
    }
    #expect(read.dropFirst().map { $0.map(\.recipient) } == known.map { $0.map(\.recipient) })
    #expect(try store.readers.read { try $0.recipients(rows: [20]) }[0].pending == 4)
  }

  /// An engine cycle must use indexes, because tables may be large.
  @Test(arguments: [false, true])
  func `no statement of an engine cycle scans a table`(inAFleet isFleet: Bool) throws {
    let store = try isFleet ? storeOfFleetNode() : singleStore()
    let events = try store.fill(600)
    try store.commit { transaction in
      _ = try transaction.lookups(of: [events])
      _ = try transaction.erasures(of: ["r1"])
      let delivery = try transaction.deliveries(after: 0, limit: 1, on: .all).deliveries[0]
      var changes = DeliveryChanges()
      changes.laterAttempts = [Attempt(of: delivery, by: "one", at: Fixtures.noon, .retry)]
      changes.wait(Retry(sink: "one", delivery: delivery, attempts: 1), due: nil, reason: "r")
      changes.dispatch(delivery)
      changes.settle(1, outcome: .delivered, trace: GateTrace())
      try transaction.save(changes)
      _ = try transaction.dueRetries(of: "one", now: Fixtures.noon, limit: 9) { _ in 9 }
      _ = try transaction.nextRetries(of: ["one"])
      _ = try transaction.recorded(among: [1, 2])
      _ = try transaction.channelProgress(of: [1, 2])
      _ = try transaction.chain(of: 1, from: nil, downTo: 0, limit: 9)
      _ = try transaction.events(of: 1, from: 1, limit: 9)
      _ = try transaction.recipients(beginningWith: "r", after: nil, limit: 9)
    }
    if isFleet {
      try store.commit { try $0.retire([0], behind: ["one": 0], now: Fixtures.noon) }
      try store.commit { try $0.release([0]) }
    }
    let plans = try database.plans
    #expect(plans.count > 20)
    let tables = "(recipient|schedule|event|notification|inbox|retry|attempt)_"
    let scans = try Regex("Seq Scan on \(tables)|Hash Join|Merge Join")
    #expect(plans.filter { $0.contains(scans) } == [])
  }
}

extension PostgresStore {
  /// Creates `count` recipients, each with one event and one notification.
  func fill(_ count: Int) throws -> [Event] {
    let events = (1...count).map { Fixtures.event("\($0)", recipient: "r\($0)") }
    try commit { transaction in
      var batch: [StoredRecipient] = []
      for (event, lookup) in zip(events, try transaction.lookups(of: [events])) {
        guard case .new(let slot) = try transaction.match(event, at: lookup) else {
          throw Unexpected()
        }
        var stored = transaction.admit(Recipient(name: event.recipient, now: event.time))
        stored.lastEvent = try transaction.append(
          event, slot: slot, row: stored.row, previous: 0, received: event.time)
        batch.append(stored)
      }
      try transaction.save(batch, batch.map { _ in Schedule(due: Fixtures.noon, pending: 1) })
      let records = batch.map { stored in
        Fixtures.record(row: stored.row, key: 1).on(.inapp, channels: [.init(.inapp)])
      }
      _ = try transaction.record(records, of: &batch)
      for index in batch.indices { batch[index].hasUnsavedFacts = false }
      try transaction.save(batch, batch.map { _ in Schedule(due: nil, pending: 0) })
    }
    return events
  }
}
