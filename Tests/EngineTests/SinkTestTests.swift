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

/// A test of one sink by the running engine: beside the lane, and in a bounded time (rule D5).
@Suite(.timeLimit(.minutes(1))) struct SinkTestTests {
  /// Keeps to whom it was handed what.
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

  private func order(
    _ sink: any Sink, _ recipient: String? = nil, _ patience: TimeSpan = .seconds(30)
  ) -> SinkTestOrder {
    SinkTestOrder(
      sink: sink.name, channel: nil, recipient: recipient, title: "Test", body: "",
      patience: patience)
  }

  @Test(arguments: HangingSink.Manner.allCases)
  func whatASinkDoesNotComeBackFromIsBounded(manner: HangingSink.Manner) async throws {
    let sink = HangingSink(manner)
    defer { sink.letGo() }
    try await withEngine(sink) { engine, _ in
      let first = try await engine.trySink(order(sink, nil, .milliseconds(1)))
      guard case .done(let result) = first, case .failure(let outage) = result.answer else {
        Issue.record("it is \(first)")
        return
      }
      #expect(outage.description.hasPrefix("it did not answer in"))
      // Whether the first was handed over before its time was up depends on the machine.
      guard !sink.handed.isEmpty else { return }
      guard case .busy = try await engine.trySink(order(sink)) else {
        Issue.record("it is handed a second")
        return
      }
      #expect(sink.handed.count == 1)
    }
  }

  @Test func aSinkOfAddressesIsHandedThoseOfWhoIsNamed() async throws {
    let sink = AddressedSink()
    try await withEngine(sink) { engine, planner in
      guard case .recipientWanted = try await engine.trySink(order(sink)) else {
        Issue.record("it goes to nobody")
        return
      }
      let event = try Fixtures.event(
        "e1", "recipient.updated", of: "amina", at: WallClock.now(),
        ["email": "amina@example.org"], planner: planner)
      #expect(try await engine.submit([event]).count == 1)
      let receipt = try await engine.trySink(order(sink, "amina"))
      guard case .done(let result) = receipt, case .failure(let outage) = result.answer else {
        Issue.record("it is \(receipt)")
        return
      }
      #expect(outage == SinkOutage("gone") && sink.emails == ["amina@example.org"])
      let lane = try #require(try await engine.status().lanes.first)
      #expect(lane.breaker == .closed && lane.answers == LaneCounters())
    }
  }
}
