import Glibc
import JSON
import Testing

/// Rules D1 and E3 for the program itself: whatever it is doing when it is killed, what it has
/// acknowledged is kept, and is delivered under one id.
@OwnThread @Suite struct KillTests {
  @Test func nothingAcknowledgedIsLostWhenTheServiceIsKilled() throws {
    let kills = Project.variable("CHIMED_KILLS").flatMap { Int($0) } ?? 60
    let seed = Project.variable("CHIMED_SEED").flatMap { UInt64($0) } ?? .random(in: 0...999_999)
    print("killing \(kills) times; to repeat it: CHIMED_KILLS=\(kills) CHIMED_SEED=\(seed)")
    var random = SplitMix64(seed: seed)
    let siege = try Siege(seed: random.next())
    for _ in 0..<kills {
      let ending = try siege.live(until: .random(using: &random))
      #expect(ending == .killed(signal: SIGKILL))
    }
    #expect(try siege.settle() == .exited(0))
    let ledger = siege.ledger
    print(ledger.summary)
    #expect(ledger.violations == [])
    #expect(ledger.unacknowledged == 0)
    #expect(ledger.lost == [])
    #expect(ledger.cutLines <= kills)
  }

  @Test(arguments: [SIGKILL, SIGTERM])
  func whatNoSinkHadTakenGoesOutAtTheNextStartOfItself(signal: Int32) throws {
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
}

extension Ledger {
  fileprivate var summary: String {
    "\(count) events in \(life) lives: \(silentlyTaken) taken in without an answer, "
      + "\(repetitions) deliveries repeated under the same id, \(cutLines) lines cut off"
  }
}
