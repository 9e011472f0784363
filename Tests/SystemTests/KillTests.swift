import Glibc
import JSON
import TestSupport
import Testing

/// Rules D1 and E3 for the program itself: whenever it is killed, acknowledged events are stored
/// and delivered under one id.
@OwnThread @Suite struct KillTests {
  @Test func `no acknowledged event is lost when the service is killed`() throws {
    let kills = Project.variable("CHIMED_KILLS").flatMap { Int($0) } ?? 60
    let seed = Project.variable("CHIMED_SEED").flatMap { UInt64($0) } ?? .random(in: 0...999_999)
    print("killing \(kills) times; to repeat it: CHIMED_KILLS=\(kills) CHIMED_SEED=\(seed)")
    var random = SplitMix64(seed: seed)
    let runs = try FileRuns(seed: random.next())
    for _ in 0..<kills {
      let ending = try runs.run(until: .random(using: &random))
      #expect(ending == .killed(signal: SIGKILL))
    }
    #expect(try runs.finishAllWork() == .exited(0))
    let ledger = runs.ledger
    print(ledger.summary)
    #expect(ledger.violations == [])
    #expect(ledger.unacknowledgedCount == 0)
    #expect(ledger.lost == [])
    #expect(ledger.cutLines <= kills)
  }

  @Test(arguments: [SIGKILL, SIGTERM])
  func `deliveries that no sink has accepted are sent after the next start`(signal: Int32) throws {
    let workspace = try Workspace()
    let first = try Service(workspace, sink: .full)
    try first.waitUntilReady()
    let time = Report.overdue
    let events = (0..<50).map { Report.milestone("e\($0)", of: "r\($0)", at: time) }
    #expect(try first.ask("POST", "/v1/events", Report.batch(events)).body["accepted"] == 50)
    first.process.send(signal)
    _ = try first.process.finish()

    let second = try Service(workspace)
    try second.waitUntilReady()
    #expect(Set(try second.deliveries(50).map { $0["recipient"] }).count == 50)
    #expect(try second.stop() == .exited(0))
  }

  /// All deliveries are in flight. The sink cannot answer, because it writes to a named pipe that
  /// is not read.
  @Test func `deliveries in flight at a kill are counted, then repeated unchanged`() throws {
    let workspace = try Workspace()
    _ = try Failure.check("mkfifo", mkfifo(workspace.deliveries, 0o600))
    let pipe = try Failure.check("open", open(workspace.deliveries, O_RDWR | O_NONBLOCK))
    defer { close(pipe) }
    let first = try Service(workspace, sink: .file)
    try first.waitUntilReady()
    let events = (0..<600).map { Report.milestone("e\($0)", of: "r\($0)", at: Report.overdue) }
    #expect(try first.ask("POST", "/v1/events", Report.batch(events)).body["accepted"] == 600)
    _ = try Poll.wait(reading: [pipe])
    first.process.send(SIGKILL)
    _ = try first.process.finish()
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = try Failure.check("read", Int32(read(pipe, &bytes, bytes.count)))
    let sent = try bytes[..<Int(count)].split(separator: UInt8(ascii: "\n")).dropLast().map {
      try JSONParser.parse(Array($0))["id"]
    }
    #expect(!sent.isEmpty)

    let second = try Service(workspace)
    try second.waitUntilLogged("had 600 unanswered deliveries")
    let repeated = Set(try second.deliveries(600).map { $0["id"] })
    #expect(repeated.count == 600 && repeated.isSuperset(of: sent))
    #expect(try second.stop() == .exited(0))
  }
}

extension Ledger {
  fileprivate var summary: String {
    "\(count) events in \(runCount) runs: \(silentlyAccepted) accepted without an answer, "
      + "\(repetitions) deliveries repeated under the same id, \(cutLines) lines cut off"
  }
}
