import CivilTime
import Dispatch
import Foundation
import Outbox
import Reminders
import SQLiteStore
import Store
import Systemd
import TestSupport
import Testing

@testable import Engine

/// Rule D3: a slow delivery does not delay those behind it at the same sink. Rule D1: answers
/// do not wait for the end of their batch.
@Suite(.timeLimit(.minutes(1))) struct AnswerWatchTests {
  /// A sink that holds deliveries with an even number until it is released.
  private final class SlowSink: OverlappingSink {
    let name = "slow"
    private let semaphore = AsyncSemaphore(4)
    private let gate = DispatchGroup()

    init() { gate.enter() }

    func release() { gate.leave() }

    /// Waits even if the task is cancelled.
    private func wait() async {
      await withCheckedContinuation { continuation in
        gate.notify(queue: .global()) { continuation.resume() }
      }
    }

    func deliver(
      _ deliveries: [Reminders.Delivery], _ progress: BatchProgress
    ) async throws(SinkOutage) -> [SinkAnswer] {
      for index in deliveries.indices where deliveries[index].notification % 2 == 1 {
        progress.answer(index, .delivered)
      }
      progress.recordAllBegun(within: semaphore)
      if deliveries.contains(where: { $0.notification % 2 == 0 }) { await wait() }
      return deliveries.map {
        $0.notification % 2 == 1 ? .delivered : .retry(after: nil, reason: "slow")
      }
    }
  }

  /// A sink that answers the second delivery of a batch at once, and the other deliveries when the
  /// sink is released.
  private final class OneByOneSink: ReportingSink {
    let name = "slow"
    private let gate = DispatchGroup()
    private let outage: SinkOutage?

    init(outage: SinkOutage? = nil) {
      self.outage = outage
      gate.enter()
    }

    func release() { gate.leave() }

    func deliver(
      _ deliveries: [Reminders.Delivery], _ progress: BatchProgress
    ) async throws(SinkOutage) -> [SinkAnswer] {
      progress.answer(1, .delivered)
      await withCheckedContinuation { continuation in
        gate.notify(queue: .global()) { continuation.resume() }
      }
      if let outage { throw outage }
      return deliveries.map { _ in .delivered }
    }
  }

  private let requestQueue: RequestQueue

  init() throws {
    requestQueue = try RequestQueue()
  }

  private func shell(_ sink: any Sink, deadline: TimeSpan? = nil) -> EngineShell {
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

  private func deliveries(_ numbers: ClosedRange<Int64>) -> [Reminders.Delivery] {
    numbers.map { number in
      Delivery(
        instance: "store", notification: number, row: 1, recipient: "amina", channel: .push,
        isSilent: false, planned: Instant(milliseconds: 0), at: Instant(milliseconds: 0),
        expiry: Instant(milliseconds: 0),
        message: Message(reminder: "note", category: "NOTE", title: "Note", body: "A note."))
    }
  }

  /// Describes the requests. `calls` collects the numbers of the sink calls that still have
  /// stragglers. The text of a straggler's answer contains the index of its call there, or -1.
  private func texts(_ requests: [Request], calls: inout [Int]) -> [String] {
    requests.map { request in
      switch request {
      case .sinkAnswered(_, .success(let answers)): return "\(answers.count) answers"
      case .sinkAnswered(_, .failure): return "no answer"
      case .sinkAnsweredInPart(_, let answers, let rest, let freesLane):
        if freesLane { calls.append(rest) }
        return "\(answers.count { $0 != nil }) of \(freesLane ? "" : "the first ")\(answers.count)"
      case .stragglersAnswered(_, let rest, let result):
        let answers = (try? result.get())?.count { $0 != nil }
        return "\(answers.map(String.init) ?? "none") of call \(calls.firstIndex(of: rest) ?? -1)"
      default: return "\(request)"
      }
    }
  }

  @Test func `the lane gets its next batches before the stragglers are answered`() async throws {
    let sink = SlowSink()
    let shell = shell(sink)
    var calls: [Int] = []
    // Dispatches more batches than the limit of open calls.
    for _ in 0...InFlightBatches.countMax {
      shell.dispatch(deliveries(1...3), toLane: 0)
      #expect(texts(await nextRequests(), calls: &calls) == ["2 of 3"])
    }
    #expect(Set(calls).count == InFlightBatches.countMax + 1)
    shell.dispatch(deliveries(5...5), toLane: 0)
    #expect(texts(await nextRequests(), calls: &calls) == ["1 answers"])
    sink.release()
    var rests: [String] = []
    while rests.count < calls.count { rests += texts(await nextRequests(), calls: &calls) }
    #expect(rests.sorted() == calls.indices.map { "1 of call \($0)" })
  }

  @Test func `a straggler beyond its deadline is retried`() async throws {
    let sink = SlowSink()
    let shell = shell(sink, deadline: .milliseconds(200))
    var calls: [Int] = []
    shell.dispatch(deliveries(1...3), toLane: 0)
    #expect(texts(await nextRequests(), calls: &calls) == ["2 of 3"])
    #expect(
      texts(await nextRequests(), calls: &calls) == ["1 of call 0"], "the delivery is retried")
    shell.dispatch(deliveries(2...2), toLane: 0)
    #expect(
      texts(await nextRequests(), calls: &calls) == ["1 answers"], "a batch of one is no outage")
    shell.dispatch([deliveries(2...2), deliveries(4...4)].flatMap { $0 }, toLane: 0)
    #expect(texts(await nextRequests(), calls: &calls) == ["no answer"], "an outage")
    sink.release()
  }

  @Test func `D1: an answer is reported before the sink returns from its batch`()
    async throws
  {
    let sink = OneByOneSink()
    let shell = shell(sink)
    var calls: [Int] = []
    shell.dispatch(deliveries(1...4), toLane: 0)
    #expect(texts(await nextRequests(), calls: &calls) == ["1 of the first 2"])
    sink.release()
    var rest: [String] = []
    while rest.count < 2 { rest += texts(await nextRequests(), calls: &calls) }
    #expect(rest == ["2 answers", "1 of call -1"])
  }

  @Test func `D1: all channels of a notification are reported together`() async throws {
    let sink = OneByOneSink()
    let shell = shell(sink)
    var calls: [Int] = []
    shell.dispatch([1...1, 2...2, 2...2, 3...3].flatMap { deliveries($0) }, toLane: 0)
    #expect(texts(await nextRequests(), calls: &calls) == ["1 of the first 3"])
    sink.release()
    var rest: [String] = []
    while rest.count < 2 { rest += texts(await nextRequests(), calls: &calls) }
    #expect(rest == ["1 answers", "2 of call -1"])
  }

  @Test func `D1: answers before an outage are kept`() async throws {
    let sink = OneByOneSink(outage: SinkOutage("gone"))
    let shell = shell(sink)
    var calls: [Int] = []
    sink.release()
    shell.dispatch(deliveries(1...4), toLane: 0)
    var texts: [String] = []
    while texts.count < 3 { texts += self.texts(await nextRequests(), calls: &calls) }
    #expect(texts == ["1 of the first 2", "no answer", "none of call -1"])
  }

  /// Covers the path from the sink through the shell to the store.
  @Test func `D1: a straggler's answer is recorded once and schedules a retry`() async throws {
    let sink = SlowSink()
    let shell = shell(sink)
    let directory = try TemporaryDirectory.inMemory()
    let planner = try Fixtures.planner(catalog: Fixtures.notes())
    var now = try utc("2026-03-02 11:59")
    let core = try EngineCore(
      store: SQLiteStore(directory: directory.path), planner: planner, sinks: [sink],
      actions: shell, now: now)
    let events = try ["amina", "bilal", "carla"].enumerated().map { number, name in
      try Fixtures.event("e\(number)", "relapse", of: name, at: now, planner: planner)
    }
    try core.turn([.submit(events) { _ in }], now: now)
    now = try utc("2026-03-02 12:00")
    try core.turn([], now: now)
    try await core.turn(nextRequests(), now: now)
    let state = core.outbox.dispatcher.lanes[0]
    #expect(state.batch.isEmpty && state.inFlightCount == 1 && state.answers.delivered == 2)
    #expect(try core.status(now: now).lanes[0].inFlight == 1)
    sink.release()
    try await core.turn(nextRequests(), now: now)
    #expect(
      core.outbox.dispatcher.hasNothingInFlight
        && core.outbox.dispatcher.lanes[0].answers.retried == 1)
    let wake = try #require(core.nextWake(now: now))
    #expect((now + .seconds(5)...now + .seconds(6)).contains(wake), "the next attempt")
  }
}
