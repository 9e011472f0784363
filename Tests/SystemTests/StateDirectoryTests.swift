import Glibc
import JSON
import Testing

/// A service refuses an unusable state directory and leaves it unchanged. It logs the reason, and
/// its exit status is that of the reason's kind in sysexits.h.
@OwnThread @Suite struct StateDirectoryTests {
  private let workspace: Workspace

  init() throws {
    workspace = try Workspace()
  }

  @Test func `a state directory belongs to one service at a time`() throws {
    let first = try Service(workspace)
    try first.waitUntilReady()
    let other = workspace.path + "/other-socket"
    let second = try FailedStart(workspace, Service.arguments(workspace, socket: other))
    #expect(second.code == 75)
    #expect(second.message.contains("\(workspace.state) is in use by another chimed"))
    let event = Report.milestone("e1", of: "r1", at: Report.overdue)
    #expect(try first.ask("POST", "/v1/events", event).status == 202)
    #expect(try first.deliveries(1).first?["recipient"] == "r1")
    #expect(try first.stop() == .exited(0))
  }

  @Test func `a state directory is free after its service was killed`() throws {
    let first = try Service(workspace)
    try first.waitUntilReady()
    first.process.send(SIGKILL)
    let second = try Service(workspace)
    try second.waitUntilReady()
    #expect(try first.process.finish() == .killed(signal: SIGKILL))
    #expect(try second.stop() == .exited(0))
  }

  @Test(arguments: ["", "SQLite format", "SQLite format 3\u{0}"])
  func `a file that is no database is left unchanged`(beginning: String) throws {
    let text = beginning + String(repeating: "This is a diary, and nothing else. ", count: 1_000)
    try Files.write(text, to: workspace.database)
    try expectRefusal(saying: "is damaged or not a chimed store")
  }

  @Test(arguments: ["DELETE", "WAL"])
  func `the database of another program is left unchanged`(journal: String) throws {
    let content = "CREATE TABLE diary (day); INSERT INTO diary VALUES ('Monday')"
    try SQL.run("PRAGMA journal_mode = \(journal); \(content)", on: workspace.database)
    try expectRefusal(saying: "it is the database of another program")
  }

  @Test func `a store of a later version is left unchanged`() throws {
    let service = try Service(workspace)
    try service.waitUntilReady()
    #expect(try service.stop() == .exited(0))
    try SQL.run("PRAGMA user_version = 9999", on: workspace.database)
    try expectRefusal(saying: "was written by a newer version of chimed")
  }

  @Test func `the error names a directory that cannot be created`() throws {
    let file = workspace.path + "/file"
    try Files.write("", to: file)
    let start = try FailedStart(workspace, Service.arguments(workspace, state: file + "/state"))
    #expect(start.code == 73)
    #expect(start.message.contains("the state directory \(file)/state cannot be used"))
  }

  private func expectRefusal(saying reason: String) throws {
    let before = try contents()
    let start = try FailedStart(workspace, Service.arguments(workspace))
    #expect(start.code == 65)
    #expect(start.message.contains(workspace.database))
    #expect(start.message.contains(reason))
    #expect(try contents() == before)
  }

  /// Returns the contents of all files that are not empty, except the lock and the file that SQLite
  /// shares between readers.
  private func contents() throws -> [String: [UInt8]] {
    let files = try Files.contents(of: workspace.state, except: ["lock", "chimed.sqlite-shm"])
    return files.filter { !$0.value.isEmpty }
  }
}
