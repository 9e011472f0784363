import GRDBSQLite
import JSON
import Testing

/// Rules E3 and S2: while another program holds the store's lock, as VACUUM and some backups do,
/// events are refused. The service continues by itself when the lock is free.
@OwnThread @Suite struct LockTests {
  private let workspace: Workspace
  private let manager: Manager

  init() throws {
    workspace = try Workspace()
    manager = try Manager(in: workspace)
  }

  private func service() throws -> Service {
    try Service(
      workspace, arguments: Service.arguments(workspace),
      environment: ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "4000000"])
  }

  @Test func `E3: another program's lock delays events and loses none`() throws {
    let service = try service()
    try service.waitUntilReady()
    let lock = try StoreLock(workspace.database)
    let event = Report.milestone("e1", of: "r1", at: Report.overdue)
    // The lock is held for longer than the watchdog waits for the engine.
    let end = ContinuousClock.now + .seconds(6)
    repeat {
      let reply = try service.ask("POST", "/v1/events", event)
      #expect(reply.status == 503)
      #expect(reply.retryAfter == 5)
      #expect(reply.body["detail"]?.stringValue?.contains("has locked") == true)
    } while ContinuousClock.now < end
    try service.waitUntilLogged("another program has locked the store")
    try manager.wait(for: service) { $0.status.contains("another program has locked the store") }
    let failure = try service.ask("GET", "/v1/status").body["storageFailure"]?.stringValue
    #expect(failure?.contains("another program has locked") == true)
    lock.end()
    try service.waitUntilLogged("the store is free again")
    #expect(try service.ask("POST", "/v1/events", event).status == 202)
    #expect(try service.deliveries(1).map { $0["recipient"] } == ["r1"])
    #expect(!manager.messages.contains("WATCHDOG=trigger"))
    #expect(try service.stop() == .exited(0))
  }

  @Test func `E11: a reload during a lock is answered 503, and is not recorded as failed`() throws {
    let service = try service()
    try service.waitUntilReady()
    let lock = try StoreLock(workspace.database)
    let reply = try service.ask("POST", "/v1/reload")
    #expect(reply.status == 503 && reply.retryAfter == 5)
    lock.end()
    #expect(try service.ask("GET", "/v1/status").body["reloadFailure"] == .null)
    #expect(try service.ask("POST", "/v1/reload").status == 200)
    #expect(try service.stop() == .exited(0))
  }

  @Test func `E3: a service stops while another program has the lock`() throws {
    let service = try service()
    try service.waitUntilReady()
    let lock = try StoreLock(workspace.database)
    let event = Report.milestone("e1", of: "r1", at: Report.overdue)
    #expect(try service.ask("POST", "/v1/events", event).status == 503)
    #expect(try service.stop() == .exited(0))
    lock.end()
  }

  @Test func `E3: a start waits for another program's lock`() throws {
    let first = try service()
    try first.waitUntilReady()
    #expect(try first.stop() == .exited(0))
    let lock = try StoreLock(workspace.database)
    let service = try service()
    try service.waitUntilLogged("no requests are served until the store is free")
    try manager.wait(for: service) { $0.status.contains("waiting for the store's lock") }
    #expect(manager.messages.contains { $0.hasPrefix("EXTEND_TIMEOUT_USEC=") })
    lock.end()
    try service.waitUntilReady()
    #expect(try service.stop() == .exited(0))
  }
}

/// An exclusive lock of a store, which a connection of the test holds.
private final class StoreLock {
  private var connection: OpaquePointer?

  init(_ path: String) throws {
    guard sqlite3_open(path, &connection) == SQLITE_OK,
      sqlite3_exec(connection, "BEGIN EXCLUSIVE", nil, nil, nil) == SQLITE_OK
    else { throw Failure("\(path): \(String(cString: sqlite3_errmsg(connection)))") }
  }

  func end() {
    sqlite3_close(connection)
    connection = nil
  }
}
