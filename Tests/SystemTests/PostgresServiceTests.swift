import Glibc
import JSON
import Postgres
import PostgresServer
import Testing

/// The service on PostgreSQL: created, used, killed and fenced.
@Suite(.enabled(if: PostgresServer.isAvailable, Comment(rawValue: PostgresServer.comment)))
@OwnThread struct PostgresServiceTests {
  private let workspace: Workspace
  private let database: TemporaryPostgresDatabase
  private let configuration: String

  init() throws {
    workspace = try Workspace()
    database = try TemporaryPostgresDatabase()
    configuration = workspace.path + "/chimed.yaml"
    try Files.write(
      """
      state-directory: \(workspace.state)
      store: {postgresql: {url: "\(database.location)"}}
      socket: \(workspace.socket)
      catalogs: [imanpath]
      sinks: {out: {type: jsonl, file: "-"}}
      """, to: configuration)
  }

  /// Starts a service whose PostgreSQL server is missing.
  private func startWithoutServer(_ manager: Manager) throws -> Service {
    let text = String(decoding: try Files.read(configuration), as: UTF8.self)
    try Files.write(
      text.replacing(/host=[^ "]+/, with: "host=\(workspace.path)"), to: configuration)
    let service = try Service(
      workspace, arguments: arguments,
      environment: ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "2000000"])
    try service.waitUntilLogged("no requests are served until PostgreSQL can be used")
    try manager.wait(for: service) { $0.status.hasPrefix("waiting for PostgreSQL: the database") }
    #expect(manager.messages.contains { $0.hasPrefix("EXTEND_TIMEOUT_USEC=") })
    return service
  }

  private var arguments: [String] { ["serve", "--config", configuration] }

  private func run(_ arguments: String...) throws -> (ending: ChildProcess.Ending, text: String) {
    let process = try ChildProcess(
      Project.chimed, arguments, environment: ["CHIMED_CATALOGS": Project.catalogs])
    let ending = try process.finish()
    return (ending, String(decoding: process.output.take() + process.errors.take(), as: UTF8.self))
  }

  private func start() throws -> Service {
    let service = try Service(workspace, arguments: arguments)
    try service.waitUntilReady()
    return service
  }

  private func initialize() throws {
    let initialization = try run("fleet", "init", "--config", configuration)
    #expect(initialization.ending == .exited(0), "\(initialization.text)")
  }

  @Test func `a start needs an initialized database, which is initialized only once`() throws {
    let failed = try FailedStart(workspace, arguments)
    #expect(failed.code == 69)
    #expect(failed.message.contains("chimed fleet init"), "\(failed.message)")
    let check = try run("--check-config", "--config", configuration)
    #expect(check.ending == .exited(78))
    #expect(check.text.contains("chimed fleet init"), "\(check.text)")
    try initialize()
    #expect(try run("--check-config", "--config", configuration).ending == .exited(0))
    let again = try run("fleet", "init", "--config", configuration)
    #expect(again.ending == .exited(69))
    #expect(again.text.contains("already has the tables of chimed"), "\(again.text)")
  }

  /// The configuration has this machine's address, certificates and database.
  @Test func `S4: the configuration of a node in chimed-fleet(7) is valid`() throws {
    try initialize()
    try NodeCertificates.write(to: [workspace.path])
    let manual = try Files.read(Project.root + "/config/manual/chimed-fleet.7")
    let lines = String(decoding: manual, as: UTF8.self).split(separator: "\n")
    let example = lines.drop { !$0.hasPrefix("catalogs:") }.prefix { $0 != ".Ed" }
      .joined(separator: "\n")
    #expect(example.contains("target_session_attrs=") && example.contains("certificate:"))
    let text = example.replacing("host=db1,db2 dbname=chimed user=chimed", with: database.location)
      .replacing("10.0.0.5", with: "127.0.0.1").replacing("/etc/chimed", with: workspace.path)
    #expect(text.contains(database.location))
    let file = workspace.path + "/node.yaml"
    try Files.write(text, to: file)
    let check = try run("--check-config", "--config", file, "--socket", workspace.socket)
    #expect(check.ending == .exited(0), "\(check.text)")
  }

  @Test func `acknowledged events survive a kill and are delivered once`() throws {
    try initialize()
    let first = try start()
    let events = (0..<50).map { Report.milestone("e\($0)", of: "r\($0)", at: Report.overdue) }
    #expect(try first.ask("POST", "/v1/events", Report.batch(events)).body["accepted"] == 50)
    let deliveredIDs = Set(try first.deliveries(50).map { $0["id"] })
    #expect(deliveredIDs.count == 50)
    first.process.send(SIGKILL)
    _ = try first.process.finish()
    #expect(!Files.names(in: workspace.state).contains("chimed.sqlite"))

    let second = try start()
    #expect(try second.ask("POST", "/v1/events", Report.batch(events)).body["duplicate"] == 50)
    let next = Report.milestone("last", of: "somebody", at: Report.overdue)
    #expect(try second.ask("POST", "/v1/events", next).status == 202)
    // The sink may get repetitions under the same ids, and nothing else.
    var later: [JSONValue] = []
    while !later.contains(where: { $0["recipient"] == "somebody" }) {
      later += try second.deliveries(1)
    }
    let repeated = later.filter { $0["recipient"] != "somebody" }.map { $0["id"] }
    #expect(deliveredIDs.isSuperset(of: repeated))
    #expect(try second.stop() == .exited(0))
  }

  private func submit(_ event: String, over connection: PostgresConnection) throws {
    try connection.query("SELECT chimed.submit($1)", [.text(event)]) { _ in }
  }

  /// An app's own transaction: after a rollback nothing is delivered, after a commit one
  /// notification.
  @Test(
    .enabled(
      if: Project.hasTool("psycopg/bin/python"),
      "psycopg is missing; run `make test`, which fetches it"))
  func `the example reports events in its own transaction`() throws {
    try initialize()
    let service = try start()
    let example = try ChildProcess(
      Project.tool("psycopg/bin/python"),
      ["-B", Project.root + "/config/examples/submit.py", database.location])
    #expect(try example.finish() == .exited(0))
    let output = String(decoding: example.output.take() + example.errors.take(), as: UTF8.self)
    #expect(output == "rolled back: booking 1 was not paid for\nbooked 2\n", "\(output)")
    #expect(try service.deliveries(1).map { $0["title"] } == ["Booking 2 is confirmed"])
    // Events are delivered in order, so a delivery of the rolled-back event would come before this.
    let next = Report.milestone("last", of: "somebody", at: Report.overdue)
    #expect(try service.ask("POST", "/v1/events", next).status == 202)
    #expect(try service.deliveries(1).map { $0["recipient"] } == ["somebody"])
    #expect(try service.stop() == .exited(0))
  }

  @Test func `events submitted during downtime are delivered, invalid ones kept`() throws {
    try initialize()
    let first = try start()
    first.process.send(SIGKILL)
    _ = try first.process.finish()
    let app = try PostgresConnection(database.location)
    try app.run(script: "BEGIN")
    let milestone = Report.milestone("e1", of: "r1", at: Report.overdue)
    for _ in 0..<2 { try submit(milestone, over: app) }
    let unknown = #"{"specversion":"1.0","id":"e2","source":"shop","type":"lession.completed"}"#
    try submit(unknown.dropLast() + #","subject":"r1"}"#, over: app)
    try app.run(script: "COMMIT")

    let second = try start()
    #expect(try second.deliveries(1).map { $0["recipient"] } == ["r1"])
    let next = Report.milestone("last", of: "somebody", at: Report.overdue)
    #expect(try second.ask("POST", "/v1/events", next).status == 202)
    #expect(try second.deliveries(1).map { $0["recipient"] } == ["somebody"])
    var refused: [String] = []
    try app.query("SELECT recipient, reason FROM chimed.refused") { row in
      refused.append(row.text(0) + ": " + row.text(1))
    }
    #expect(refused.count == 1)
    #expect(refused.first?.hasPrefix("r1: type ") == true, "\(refused)")
    #expect(refused.first?.contains("lesson.completed") == true, "\(refused)")
    let export = try second.ask("GET", "/v1/recipients/r1/export").body
    #expect(export["refused"]?[0]?["event"]?.stringValue?.contains("lession") == true)
    #expect(second.log.contains("submissions of apps were rejected"), "\(second.log)")
    #expect(try second.stop() == .exited(0))
  }

  @Test func `a fenced service answers 503 and ends`() throws {
    try initialize()
    let service = try start()
    try PostgresConnection(database.location).run(script: "UPDATE chimed.node SET fenced = true")
    let event = Report.milestone("e1", of: "r1", at: Report.overdue)
    #expect(try service.ask("POST", "/v1/events", event).status == 503)
    while !service.hasEnded { try service.readOutput() }
    #expect(try service.process.finish() == .exited(74), "\(service.log)")
    #expect(service.log.contains("another node has taken over"), "\(service.log)")
  }

  @Test func `a lost connection ends the service, and the next start continues`() throws {
    try initialize()
    let service = try start()
    let event = Report.milestone("e1", of: "r1", at: Report.overdue)
    #expect(try service.ask("POST", "/v1/events", event).status == 202)
    _ = try service.deliveries(1)
    try PostgresConnection(database.location).query(
      """
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()
      """
    ) { _ in }
    let next = Report.milestone("e2", of: "r1", at: Report.overdue)
    #expect(try service.ask("POST", "/v1/events", next).status == 503)
    while !service.hasEnded { try service.readOutput() }
    #expect(try service.process.finish() == .exited(74), "\(service.log)")
    let second = try start()
    #expect(try second.ask("POST", "/v1/events", event).body["status"] == "duplicate")
    #expect(try second.stop() == .exited(0))
  }

  @Test func `a start waits for the server`() throws {
    try initialize()
    let manager = try Manager(in: workspace)
    let service = try startWithoutServer(manager)
    #expect(!service.isReady)
    let relay = try Relay(in: workspace.path, to: database.location)
    try service.waitUntilReady()
    try manager.wait(for: service) { !$0.status.contains("waiting for PostgreSQL") }
    let event = Report.milestone("e1", of: "r1", at: Report.overdue)
    #expect(try service.ask("POST", "/v1/events", event).status == 202)
    #expect(try service.deliveries(1).map { $0["recipient"] } == ["r1"])
    #expect(!manager.messages.contains("WATCHDOG=trigger"))
    #expect(try service.stop() == .exited(0))
    withExtendedLifetime(relay) {}
  }

  @Test func `a start that waits for the server can be stopped`() throws {
    let service = try startWithoutServer(Manager(in: workspace))
    #expect(try service.stop() == .exited(0))
    #expect(service.log.contains("stopped during the start: attempt "), "\(service.log)")
  }

  @Test func `a backup is refused in favour of pg_dump`() throws {
    try initialize()
    let service = try start()
    let problem = try service.ask("GET", "/v1/backup")
    #expect(problem.status == 501)
    #expect(problem.body["type"] == "urn:chimed:problem:no-backup")
    let refused = try Chimectl(socket: workspace.socket).run(["backup", workspace.path + "/copy"])
    #expect(refused.ending == .exited(69))
    #expect(refused.errors.contains("use pg_dump"), "\(refused.errors)")
    #expect(try service.stop() == .exited(0))
  }
}
