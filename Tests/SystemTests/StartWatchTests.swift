import Glibc
import Systemd
import Testing

@testable import chimed

/// A start ends in time, whatever hangs in it.
@OwnThread @Suite struct StartWatchTests {
  /// A start all of whose event loops stand still while it makes its store.
  private func heldStart(
    _ workspace: Workspace, environment: [String: String] = [:]
  ) throws -> (service: Service, hold: ThreadHold) {
    let watch = try FileWatch(workspace.state)
    let service = try Service(
      workspace, arguments: Service.arguments(workspace), environment: environment)
    while watch.count < 1 {
      try service.turn(others: [watch.descriptor])
      watch.read()
    }
    return (service, try ThreadHold("NIO-SGLTN-*", of: service.process))
  }

  @Test(
    .enabled(
      if: ThreadHold.obstacle == nil, "\(ThreadHold.obstacle ?? "a thread can be stopped")"),
    arguments: [SIGTERM, SIGINT])
  func aStartThatHangsEndsWhenItIsAskedTo(signal: Int32) throws {
    let workspace = try Workspace()
    let (service, hold) = try heldStart(workspace)
    service.process.send(signal)
    while !service.hasEnded { try service.turn() }
    #expect(try service.process.finish() == .exited(0))
    #expect(service.log.contains("stopped while it was starting: "))
    withExtendedLifetime(hold) {}
  }

  @Test(
    .enabled(
      if: ThreadHold.obstacle == nil, "\(ThreadHold.obstacle ?? "a thread can be stopped")"))
  func s1AStartWhoseEventLoopsStandStillEndsByItselfAndSaysWhere() throws {
    let workspace = try Workspace()
    let (service, hold) = try heldStart(workspace, environment: ["CHIMED_START_PATIENCE": "2"])
    while !service.hasEnded { try service.turn() }
    #expect(try service.process.finish() == .exited(71))
    // Nothing before the listeners has to wait for an event loop, but any of it may happen to.
    let steps = [
      "opening the store and loading what is pending", "keeping the configuration",
      "binding the listeners",
    ]
    let said = steps.filter { service.log.contains("s: \($0); it is ended") }
    #expect(said.count == 1, "\(service.log)")
    withExtendedLifetime(hold) {}
    let next = try Service(workspace)
    try next.waitUntilReady()
    #expect(try next.stop() == .exited(0))
  }

  // MARK: - When it is ended

  private static let start = MonotonicInstant.epoch

  private func look(
    _ judge: inout StartJudge, _ seconds: Int, _ step: String = "a", work: Int = 0
  ) -> StartJudge.End? {
    judge.look(at: step, work: work, now: Self.start + .seconds(seconds))
  }

  @Test func aStepIsProgressAndSoIsWork() {
    var judge = StartJudge(at: Self.start, patience: .seconds(10))
    #expect(look(&judge, 0) == nil)
    #expect(look(&judge, 9) == nil)
    #expect(look(&judge, 10) == .stalled(step: "a", .seconds(10)))
    #expect(look(&judge, 10, "b") == nil)
    #expect(look(&judge, 19, "b", work: 19) == nil)
    #expect(look(&judge, 19, "b", work: 20) == nil)
    #expect(look(&judge, 28, "b", work: 39) == nil)
    #expect(look(&judge, 29, "b", work: 39) == .stalled(step: "b", .seconds(10)))
  }

  @Test func whoIsAskedToStopHasAMomentAndNoMore() {
    var judge = StartJudge(at: Self.start, patience: .seconds(60))
    judge.stop(at: Self.start + .seconds(1))
    #expect(look(&judge, 5, work: 100) == nil)
    judge.stop(at: Self.start + .seconds(5))
    #expect(look(&judge, 6, "b", work: 500) == .stopped(step: "b"))
  }
}
