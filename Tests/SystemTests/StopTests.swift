import Glibc
import JSON
import Testing

/// A service that is stopped ends by itself with all its decisions on disk.
@OwnThread @Suite struct StopTests {
  @Test(arguments: [SIGTERM, SIGINT])
  func `the service stops by itself in the middle of its work`(signal: Int32) throws {
    let runs = try FileRuns(seed: UInt64(signal))
    for count in [1, 10, 50, 100, 200] {
      #expect(try runs.run(until: .acknowledgements(count), ending: signal) == .exited(0))
    }
    #expect(try runs.finishAllWork() == .exited(0))
    #expect(runs.ledger.violations == [])
    #expect(runs.ledger.lost == [])
    #expect(runs.ledger.repetitions == 0)
    #expect(runs.ledger.cutLines == 0)
  }

  @Test func `a stopped service leaves all of its store in the database file`() throws {
    let workspace = try Workspace()
    let service = try Service(workspace)
    try service.waitUntilReady()
    _ = try service.ask("POST", "/v1/events", Report.milestone("e1", of: "r1", at: Report.now))
    #expect(try service.stop() == .exited(0))
    let others: Set = ["chimed.sqlite-mark", "chimed.sqlite-shm", "configuration.json", "lock"]
    let files = try Files.contents(of: workspace.state, except: others)
    #expect(files.filter { !$0.value.isEmpty }.keys.sorted() == ["chimed.sqlite", "zones"])
    #expect(!Files.names(in: workspace.path).contains("socket"))
  }

  @Test func `after a stop, finished deliveries are not repeated`() throws {
    let workspace = try Workspace()
    let first = try Service(workspace)
    try first.waitUntilReady()
    let time = Report.overdue
    let events = (0..<50).map { Report.milestone("e\($0)", of: "r\($0)", at: time) }
    _ = try first.ask("POST", "/v1/events", Report.batch(events))
    #expect(try first.deliveries(50).count == 50)
    #expect(try first.stop() == .exited(0))

    let second = try Service(workspace)
    try second.waitUntilReady()
    _ = try second.ask("POST", "/v1/events", Report.milestone("e", of: "new", at: time))
    #expect(try second.deliveries(1).first?["recipient"] == "new")
    #expect(try second.stop() == .exited(0))
  }
}
