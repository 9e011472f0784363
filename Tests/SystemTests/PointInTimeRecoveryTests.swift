import Glibc
import JSON
import Postgres
import PostgresServer
import Testing

/// Rule D1: the recipe of chimed-fleet(7) for the recovery of PostgreSQL to an instant.
@Suite(.enabled(if: PostgresServer.isAvailable, Comment(rawValue: PostgresServer.comment)))
@OwnThread struct PointInTimeRecoveryTests {
  private let workspace: Workspace
  /// The time of all events.
  private let time = Report.overdue
  private let server: PostgresServer
  private let database: TemporaryPostgresDatabase
  private let configuration: String

  init() throws {
    workspace = try Workspace()
    server = try PostgresServer.unshared()
    try server.archive(Self.settings(with: "archive_mode", server))
    database = try TemporaryPostgresDatabase(on: server)
    configuration = workspace.path + "/chimed.yaml"
    try Files.write(
      """
      state-directory: \(workspace.state)
      store: {postgresql: {url: "\(database.location)"}}
      socket: \(workspace.socket)
      catalogs: [imanpath]
      sinks: {out: {type: jsonl, file: "-"}}
      """, to: configuration)
    let creation = try ChildProcess(Project.chimed, ["fleet", "init", "--config", configuration])
    guard try creation.finish() == .exited(0) else {
      throw Failure("the store cannot be created")
    }
  }

  /// Returns the settings in the only block of the manual that contains a word. Paths of the
  /// manual's archive are replaced by those of the server's archive.
  private static func settings(
    with word: String, _ server: PostgresServer
  ) throws -> [String] {
    let manual = try Files.read(Project.root + "/config/manual/chimed-fleet.7")
    let blocks = String(decoding: manual, as: UTF8.self).split(separator: "\n.Bd -literal")
      .map { $0.split(separator: "\n.Ed")[0] }.filter { $0.contains(word) }
    try #require(blocks.count == 1)
    return blocks[0].split(separator: "\n").dropFirst().map {
      String($0).replacing("/srv/archive", with: server.archiveDirectory)
    }
  }

  private func start() throws -> Service {
    let service = try Service(workspace, arguments: ["serve", "--config", configuration])
    try service.waitUntilReady()
    return service
  }

  private func event(_ number: Int) -> String {
    Report.milestone("e\(number)", of: "r\(number)", at: time)
  }

  /// Reports a milestone, and waits until its delivery is recorded.
  ///
  /// - Returns: the id of its delivery.
  private func send(_ number: Int, by service: Service) throws -> String {
    #expect(try service.ask("POST", "/v1/events", event(number)).status == 202)
    let delivery = try #require(try service.deliveries(1).first)
    #expect(delivery["recipient"] == .string("r\(number)"))
    let line = "chimed_deliveries_total{sink=\"out\",outcome=\"delivered\"} \(number)\n"
    while try service.ask("GET", "/metrics").body.stringValue?.contains(line) != true {}
    return delivery["id"]?.stringValue ?? ""
  }

  private func query(_ statement: String) throws -> String {
    var text = ""
    try PostgresConnection(server.location(of: "postgres")).query(statement) { text = $0.text(0) }
    return text
  }

  /// Waits until everything that is in the write-ahead log now is archived.
  private func archiveLog() throws {
    let last = try query("SELECT pg_walfile_name(pg_switch_wal())")
    var isDone = false
    while !isDone {
      isDone =
        try query("SELECT coalesce(last_archived_wal, '') FROM pg_stat_archiver") >= last
    }
  }

  @Test func `D1: a recovered server has the events and deliveries of its instant`() throws {
    let service = try start()
    _ = try send(1, by: service)
    try server.save()
    _ = try send(2, by: service)
    let instant = try query("SELECT clock_timestamp()::text")
    let lostDelivery = try send(3, by: service)
    try archiveLog()
    service.process.send(SIGKILL)
    while !service.hasEnded { try service.readOutput() }

    let target = try Self.settings(with: "recovery_target_time", server).map {
      $0.replacing(/'2026-[^']+'/, with: "'\(instant)'")
    }
    try server.recover(target)
    let second = try start()
    for number in 1...2 {
      #expect(try second.ask("POST", "/v1/events", event(number)).status == 200, "\(number)")
    }
    #expect(try second.ask("POST", "/v1/events", event(3)).status == 202, "a lost event")
    let deliveries = try second.deliveries(1)
    #expect(deliveries.map { $0["recipient"] } == ["r3"], "only the lost event is sent again")
    #expect(deliveries.first?["id"] != .string(lostDelivery))
    #expect(try second.stop() == .exited(0))
    #expect(second.process.output.takeLines().isEmpty)
  }
}
