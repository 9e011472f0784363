import CivilTime
import JSON
import Outbox
import Reminders
import SQLiteStore
import Synchronization
import Systemd
import TestSupport
import Testing

@testable import Engine

/// Rule D5: a test of one sink by the running engine, apart from the lane and in a bounded time.
@Suite(.timeLimit(.minutes(1))) struct SinkTestTests {
  /// A sink that records the addressee of each delivery.
  private final class AddressedSink: Sink {
    let name = "addressed"
    let needsAddressee = true
    private let addressees = Mutex<[Addressee?]>([])

    var emails: [String?] { addressees.withLock { $0.map { $0?.email } } }

    func deliver(_ deliveries: [Reminders.Delivery]) async throws(SinkOutage) -> [SinkAnswer] {
      addressees.withLock { $0 += deliveries.map(\.addressee) }
      throw SinkOutage("gone")
    }
  }

  private func withEngine(
    _ sink: any Sink, _ body: (Engine, Planner) async throws -> Void
  ) async throws {
    let directory = try TemporaryDirectory.inMemory()
    let planner = try Fixtures.planner()
    let engine = try Engine(
      Engine.Configuration(
        store: SQLiteStore.opening(directory.path), planner: planner, sinks: [sink],
        routes: Routes(allTo: sink.name), journal: Journal(.lines(-1)),
        board: StatusBoard(ServiceManager(socket: nil)), heartbeats: Heartbeats()))
    do {
      try await body(engine, planner)
    } catch {
      await engine.stop()
      throw error
    }
    await engine.stop()
  }

  private func parameters(
    _ sink: any Sink, _ recipient: String? = nil, _ timeout: TimeSpan = .seconds(30)
  ) -> SinkTestParameters {
    SinkTestParameters(
      sink: sink.name, channel: nil, recipient: recipient, title: "Test", body: "",
      timeout: timeout)
  }

  @Test(arguments: HangingSink.Manner.allCases)
  func `a test of a sink that hangs is bounded in time`(manner: HangingSink.Manner) async throws {
    let sink = HangingSink(manner)
    defer { sink.release() }
    try await withEngine(sink) { engine, _ in
      let first = try await engine.trySink(parameters(sink, nil, .milliseconds(1)))
      guard case .done(let result) = first, case .failure(let outage) = result.answer else {
        Issue.record("the receipt is \(first)")
        return
      }
      #expect(outage.description.hasPrefix("it did not answer in"))
      // It depends on the machine whether the first delivery was sent before its deadline.
      guard !sink.dispatched.isEmpty else { return }
      guard case .busy = try await engine.trySink(parameters(sink)) else {
        Issue.record("the sink gets a second test")
        return
      }
      #expect(sink.dispatched.count == 1)
    }
  }

  @Test func `a sink that needs addresses gets the named recipient's addresses`() async throws {
    let sink = AddressedSink()
    try await withEngine(sink) { engine, planner in
      guard case .recipientRequired = try await engine.trySink(parameters(sink)) else {
        Issue.record("the test needs no recipient")
        return
      }
      let event = try Fixtures.event(
        "e1", "recipient.updated", of: "amina", at: WallClock.now(),
        ["email": "amina@example.org"], planner: planner)
      #expect(try await engine.submit([event]).count == 1)
      let receipt = try await engine.trySink(parameters(sink, "amina"))
      guard case .done(let result) = receipt, case .failure(let outage) = result.answer else {
        Issue.record("the receipt is \(receipt)")
        return
      }
      #expect(outage == SinkOutage("gone") && sink.emails == ["amina@example.org"])
      let lane = try #require(try await engine.answer(StatusQuery()).lanes.first)
      #expect(lane.breaker == .closed && lane.answers == LaneCounters())
    }
  }
}
