import Glibc
import Systemd
import Testing

@testable import chimed

/// A start ends in time, whatever hangs.
@OwnThread @Suite struct StartWatchTests {
  /// A start with an event loop that hangs while the store is created.
  private struct HangingStart {
    let workspace: Workspace
    let service: Service
    let hold: ThreadHold

    init(environment: [String: String] = [:]) throws {
      while true {
        let workspace = try Workspace()
        let watch = try FileWatch(workspace.state)
        let service = try Service(
          workspace, arguments: Service.arguments(workspace), environment: environment)
        while watch.count < 1 {
          try service.readOutput(others: [watch.descriptor])
          watch.read()
        }
        service.process.send(SIGSTOP)
        let hold = try ThreadHold("NIO-SGLTN-*", of: service.process)
        // On a busy machine, the start may be over before the thread is stopped. Then the loop
        // tries another start.
        guard Project.exists(workspace.socket) else {
          service.process.send(SIGCONT)
          (self.workspace, self.service, self.hold) = (workspace, service, hold)
          return
        }
        service.process.send(SIGKILL)
        while !service.hasEnded { try service.readOutput() }
        _ = try service.process.finish()
      }
    }
  }

  @Test(
    .enabled(
      if: ThreadHold.obstacle == nil, "\(ThreadHold.obstacle ?? "a thread can be stopped")"),
    arguments: [SIGTERM, SIGINT])
  func `a start that hangs can be stopped`(signal: Int32) throws {
    let hangingStart = try HangingStart()
    let service = hangingStart.service
    service.process.send(signal)
    while !service.hasEnded { try service.readOutput() }
    #expect(try service.process.finish() == .exited(0))
    #expect(service.log.contains("stopped during the start: "))
    withExtendedLifetime(hangingStart) {}
  }

  @Test(
    .enabled(
      if: ThreadHold.obstacle == nil, "\(ThreadHold.obstacle ?? "a thread can be stopped")"))
  func `S1: a start whose event loops hang ends and reports its step`() throws {
    let hangingStart = try HangingStart(environment: ["CHIMED_START_TIMEOUT": "2"])
    let service = hangingStart.service
    while !service.hasEnded { try service.readOutput() }
    #expect(try service.process.finish() == .exited(71))
    // Only the last two steps need an event loop, but the test accepts any of them.
    let steps = [
      "opening the store and loading pending occurrences", "saving the configuration",
      "binding the listeners", "beginning to serve",
    ]
    let reportedSteps = steps.filter { service.log.contains("s: \($0); it ends") }
    #expect(reportedSteps.count == 1, "\(service.log)")
    let next = try Service(hangingStart.workspace)
    try next.waitUntilReady()
    #expect(try next.stop() == .exited(0))
  }

  // MARK: - The deadline of a start

  private static let start = MonotonicInstant.epoch

  /// Checks a start that is at a step, `seconds` after it began.
  private func check(
    _ judge: inout StartJudge, _ seconds: Int, _ step: String = "a", work: Int = 0
  ) -> StartJudge.End? {
    judge.check(at: step, work: work, now: Self.start + .seconds(seconds))
  }

  @Test func `a new step is progress, and so is work`() {
    var judge = StartJudge(at: Self.start, timeout: .seconds(10))
    #expect(check(&judge, 0) == nil)
    #expect(check(&judge, 9) == nil)
    #expect(check(&judge, 10) == .stalled(step: "a", .seconds(10)))
    #expect(check(&judge, 10, "b") == nil)
    #expect(check(&judge, 19, "b", work: 19) == nil)
    #expect(check(&judge, 19, "b", work: 20) == nil)
    #expect(check(&judge, 28, "b", work: 39) == nil)
    #expect(check(&judge, 29, "b", work: 39) == .stalled(step: "b", .seconds(10)))
  }

  @Test func `a start that is asked to stop has little time left`() {
    var judge = StartJudge(at: Self.start, timeout: .seconds(60))
    judge.stop(at: Self.start + .seconds(1))
    #expect(check(&judge, 5, work: 100) == nil)
    judge.stop(at: Self.start + .seconds(5))
    #expect(check(&judge, 6, "b", work: 500) == .stopped(step: "b"))
  }

  @Test func `a start that is waiting stops at once`() {
    var judge = StartJudge(at: Self.start, timeout: .seconds(60))
    #expect(judge.check(at: "a", isWaiting: true, work: 0, now: Self.start) == nil)
    judge.stop(at: Self.start)
    #expect(check(&judge, 0) == nil)
    let end = judge.check(at: "a", isWaiting: true, work: 0, now: Self.start)
    #expect(end == .stopped(step: "a"))
  }
}
