import CivilTime
import Foundation
import Outbox
import Reminders
import SQLiteStore
import Store
import Systemd
import TestSupport
import Testing

@testable import Engine

/// Rule D3: a sink that does not answer by its deadline has an outage and affects no other sink.
@Suite(.timeLimit(.minutes(1))) struct DeadlineGuardTests {
  private typealias Answer = Result<[SinkAnswer], SinkOutage>

  private let requestQueue: RequestQueue

  init() throws {
    requestQueue = try RequestQueue()
  }

  /// - Parameter deadline: The time that each delivery of a batch adds to the batch's deadline.
  private func shell(_ sink: HangingSink, deadline: TimeSpan) -> EngineShell {
    var limits = SinkLimits(deadline: deadline)
    limits.margin = .zero
    return EngineShell(
      sinks: [sink], limits: [sink.name: limits], requestQueue: requestQueue,
      journal: Journal(.lines(-1)))
  }

  /// Waits for the next requests, on a separate thread.
  private func nextRequests() async -> [Request] {
    await withCheckedContinuation { continuation in
      Thread { [requestQueue] in
        var flag = pollfd(fd: requestQueue.flag, events: Int16(POLLIN), revents: 0)
        poll(&flag, 1, 30_000)
        continuation.resume(returning: requestQueue.take())
      }.start()
    }
  }

  private func answers() async -> [Answer] {
    await nextRequests().compactMap {
      if case .sinkAnswered(_, let answer) = $0 { answer } else { nil }
    }
  }

  private func deliveries(_ numbers: ClosedRange<Int64>) -> [Reminders.Delivery] {
    numbers.map { number in
      Delivery(
        instance: "store", notification: number, row: 1, recipient: "amina", channel: .push,
        isSilent: false, planned: Instant(milliseconds: 0), at: Instant(milliseconds: 0),
        expiry: Instant(milliseconds: 0),
        message: Message(reminder: "note", category: "NOTE", title: "Note", body: "A note."))
    }
  }

  @Test(arguments: HangingSink.Manner.allCases)
  func `a sink that never answers has one outage, and its lane continues`(
    manner: HangingSink.Manner
  ) async throws {
    let sink = HangingSink(manner)
    let shell = shell(sink, deadline: .milliseconds(50))
    shell.dispatch(deliveries(1...1), toLane: 0)
    let first = await answers()
    #expect(
      first == [.failure(SinkOutage("it did not answer for 1 deliveries in 50ms"))])
    sink.release()
    var later: [Answer] = []
    for _ in 0..<2 {
      // The deadline of a batch of this size is long enough.
      shell.dispatch(deliveries(1...100), toLane: 0)
      later += await answers()
    }
    let delivered = Answer.success(Array(repeating: .delivered, count: 100))
    #expect(later == [delivered, delivered], "the late answer is ignored")
  }

  /// A sink that blocks occupies its lane's thread. A sink that suspends does not. In both cases
  /// the number of open batches is limited.
  @Test(arguments: [(HangingSink.Manner.blocks, 1), (.suspends, InFlightBatches.countMax)])
  func `a sink that hangs gets a limited number of batches`(manner: HangingSink.Manner, count: Int)
    async throws
  {
    let sink = HangingSink(manner)
    let shell = shell(sink, deadline: .milliseconds(20))
    var outages: [Answer] = []
    for number: Int64 in 1...20 {
      shell.dispatch(deliveries(number...number), toLane: 0)
      outages += await answers()
    }
    #expect(outages.count == 20)
    #expect(
      outages.last
        == .failure(
          SinkOutage("4 batches have not returned; nothing is dispatched until one does")))
    #expect(sink.dispatched == (1...count).map { ["store-\($0)"] })
    sink.release()
    var last: [Answer] = []
    repeat {
      shell.dispatch(deliveries(101...200), toLane: 0)
      last = await answers()
    } while last == outages.suffix(1)
    #expect(last == [.success(Array(repeating: .delivered, count: 100))])
    #expect(sink.dispatched.count == count + 1, "an answered batch is not sent again")
  }

  /// A delivery that was sent twice and answered twice has one outcome.
  @Test(arguments: HangingSink.Manner.allCases)
  func `D1: a late delivery of a hanging sink is recorded once`(manner: HangingSink.Manner)
    async throws
  {
    let sink = HangingSink(manner)
    let shell = shell(sink, deadline: .seconds(1))
    let directory = try TemporaryDirectory.inMemory()
    let planner = try Fixtures.planner(catalog: Fixtures.notes())
    var now = try utc("2026-03-02 11:59")
    let core = try EngineCore(
      store: SQLiteStore(directory: directory.path), planner: planner, sinks: [sink],
      actions: shell, now: now)
    let event = try Fixtures.event("e1", "relapse", of: "amina", at: now, planner: planner)
    try core.turn([.submit([event]) { _ in }], now: now)
    now = try utc("2026-03-02 12:00")
    try core.turn([], now: now)
    try await core.turn(nextRequests(), now: now)
    #expect(try core.status(now: now).lanes[0].failure?.hasPrefix("it did not answer") == true)
    #expect(try core.status(now: now).lanes[0].waiting == 1)
    sink.release()
    now = try #require(core.nextWake(now: now))
    try core.turn([], now: now)
    try await core.turn(nextRequests(), now: now)
    #expect(sink.dispatched.count == 2 && sink.dispatched[0] == sink.dispatched[1])
    #expect(try core.status(now: now).lanes[0].waiting == 0)
    #expect(try core.status(now: now).lanes[0].failure == nil)
    let answers = core.outbox.dispatcher.lanes[0].answers
    #expect(answers.delivered == 1 && answers.outages == 1)
    let wake = try #require(core.nextWake(now: now))
    #expect(wake > now + .hours(1), "nothing is left to do")
  }
}
