import CivilTime
import JSON
import Outbox
import Reminders
import SQLiteStore
import Store
import Synchronization
import Systemd
import TestSupport
import Testing

@testable import Engine

/// Rule S2: a sink that does not answer within its timeout causes a restart. A sink without a
/// timeout is only reported.
@Suite(.timeLimit(.minutes(1))) struct LaneWatchTests {
  /// A sink that accepts a batch and does not answer until it is released.
  private struct HangingSink: Sink {
    let name = "hanging"
    let timeout: Duration?
    let hasBegun = AsyncStream<Void>.makeStream()
    let mayContinue = AsyncStream<Void>.makeStream()

    func deliver(_ deliveries: [Reminders.Delivery]) async throws(SinkOutage) -> [SinkAnswer] {
      hasBegun.continuation.finish()
      for await _ in mayContinue.stream {}
      return deliveries.map { _ in .delivered }
    }
  }

  @Test(arguments: [Duration.seconds(5), nil])
  func `a lane must make progress from the dispatch of a batch to its answer`(timeout: Duration?)
    async throws
  {
    let sink = HangingSink(timeout: timeout)
    let heartbeats = Heartbeats(allowance: .seconds(20))
    let directory = try TemporaryDirectory.inMemory()
    let planner = try Fixtures.planner()
    let engine = try Engine(
      Engine.Configuration(
        store: SQLiteStore.opening(directory.path), planner: planner, sinks: [sink],
        routes: Routes(allTo: sink.name),
        journal: Journal(.lines(-1)), board: StatusBoard(ServiceManager(socket: nil)),
        heartbeats: heartbeats))
    let hour = MonotonicInstant.now + .seconds(3_600)
    #expect(heartbeats.late(at: hour).allSatisfy { $0.name != "hanging" }, "no batch is in flight")
    let event = try Fixtures.event(
      "e1", "milestone.reached", of: "amina", at: WallClock.now() - .seconds(2), ["days": 7],
      planner: planner)
    #expect(try await engine.submit([event]).count == 1)
    for await _ in sink.hasBegun.stream {}
    let late = try #require(heartbeats.late(at: hour).first { $0.name == "hanging" })
    #expect(late.isVital == (timeout != nil))
    #expect(late.allowance == .seconds(20) + (timeout ?? .seconds(20)))
    sink.mayContinue.continuation.finish()
    await engine.stop()
    #expect(heartbeats.late(at: hour).isEmpty, "a stopped lane need not make progress")
  }
}
