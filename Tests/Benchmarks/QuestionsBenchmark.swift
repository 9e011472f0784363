import CivilTime
import Engine
import Foundation
import Outbox
import Reminders
import SQLiteStore
import Synchronization
import Systemd

/// A thread-safe counter.
private final class Tally: Sendable {
  private let value = Mutex(0)

  var count: Int { value.withLock { $0 } }

  func next() -> Int {
    value.withLock { value in
      value += 1
      return value
    }
  }
}

/// Measures the lateness of reminders and the response time of the status (rule H6), with and
/// without two other clients. One client repeatedly requests explanations of a person with 10,000
/// events, and the other erases recipients from a large store.
struct QuestionsBenchmark {
  /// The number of recipients in the store, with about 10 KB each.
  let people: Int

  private struct NoNotification: Error {}

  /// The number of events of the first recipient.
  private static let events = 10_000
  /// The duration of each measurement.
  private static let seconds = 10

  func run() async throws {
    try await withScratchDirectory { directory in
      let sink = MeasuringSink()
      let engine = try Engine(
        Engine.Configuration(
          store: SQLiteStore.opening(directory + "/state"), planner: try Workload.planner(),
          sinks: [sink],
          routes: Routes(allTo: sink.name),
          journal: Journal(.lines(open("/dev/null", O_WRONLY))),
          board: StatusBoard(ServiceManager(socket: nil)), heartbeats: Heartbeats()))
      try await fill(engine)
      var query = NotificationHistoryQuery(of: "user-0")
      query.limit = 1
      let history = try await engine.answer(query)
      guard let notification = history?.entries.first?.identifier else { throw NoNotification() }
      let size = try await Double(engine.answer(StatusQuery()).storeSize) / Double(1 << 20)
      print("questions beside 1,000 due a second, store of \(Int(size)) MiB")
      try await measure("alone", engine, sink, round: 1) {}
      let (erasures, explanations) = (Tally(), Tally())
      try await measure("with explain and erasures", engine, sink, round: 2) {
        async let explaining: Void = Self.repeatUntilCancelled {
          try await Self.explain(notification, engine)
          _ = explanations.next()
        }
        async let erasing: Void = Self.repeatUntilCancelled {
          let number = erasures.next()
          let event = Workload.event(
            50_000_000 + number, "recipient.deleted", recipient: number, at: WallClock.now(),
            .erasure)
          _ = try await engine.submit([event])
        }
        _ = try await (explaining, erasing)
      }
      show("explanations", Double(explanations.count), "in all")
      show("erasures", Double(erasures.count), "in all")
      await engine.stop()
    }
  }

  private static func repeatUntilCancelled(
    _ body: @Sendable () async throws -> Void
  ) async throws {
    while !Task.isCancelled { try await body() }
  }

  private static func explain(_ notification: String, _ engine: Engine) async throws {
    let answer = try await engine.answer(NotificationQuery(of: "user-0", notification))
    guard case .found(let history) = answer else { return }
    let planner = engine.planner
    _ = try await engine.work(.people) {
      history.recipient.explain(history.notification, events: history.events, planner: planner)
    }
  }

  // MARK: - The store

  /// The first recipient has a long history. All others have 40 events, of usual length.
  private func fill(_ engine: Engine) async throws {
    let start = WallClock.now() - .days(1)
    for first in stride(from: 0, to: Self.events, by: 1_000) {
      let events = (first..<first + 1_000).map { number in
        Workload.event(
          number, "checkin.completed", recipient: 0, at: start + .seconds(number),
          .happening(number: nil))
      }
      _ = try await engine.submit(events)
    }
    let milestone = Workload.event(
      40_000_000, "milestone.reached", recipient: 0, at: WallClock.now() - .hours(1),
      .happening(number: 7),
      data: "{\"days\":7}")
    _ = try await engine.submit([milestone])
    let longData = "{\"note\":\"\(String(repeating: "x", count: 200))\"}"
    for first in stride(from: 1, to: people, by: 250) {
      let events = (first..<min(people, first + 250)).flatMap { person in
        (0..<40).map { number in
          Workload.event(
            1_000_000 + person * 40 + number, "checkin.completed", recipient: person,
            at: start + .seconds(number), .happening(number: nil), data: longData)
        }
      }
      _ = try await engine.submit(events)
    }
  }

  // MARK: - The figures

  /// Measures lateness and response times while a load runs.
  ///
  /// - Parameter round: the number of the measurement. Each measurement has different recipients.
  private func measure(
    _ name: String, _ engine: Engine, _ sink: MeasuringSink, round: Int,
    _ load: @escaping @Sendable () async throws -> Void
  ) async throws {
    let base = round * 10_000_000
    let start = WallClock.now() + .seconds(4)
    for first in stride(from: 0, to: Self.seconds * 1_000, by: 1_000) {
      let events = (first..<first + 1_000).map { number in
        Workload.event(
          base + number, "milestone.reached", recipient: base + number,
          at: start + .milliseconds(number) - .seconds(1), .happening(number: 7),
          data: "{\"days\":7}")
      }
      _ = try await engine.submit(events)
    }
    sink.forget()
    let loading = Task { try await load() }
    let status = Task { try await Self.times(of: engine) }
    await sink.wait(for: Self.seconds * 1_000)
    loading.cancel()
    status.cancel()
    _ = await loading.result
    let times = try await status.value.sorted()
    print(" \(name): lateness")
    sink.show()
    print(" \(name): status")
    for (name, quantile) in [("p50", 0.5), ("p99", 0.99)] where !times.isEmpty {
      show(name, times[Int(Double(times.count - 1) * quantile)], "ms")
    }
  }

  /// Queries the status every 5 ms until the task is cancelled. Returns the response times in
  /// milliseconds.
  private static func times(of engine: Engine) async throws -> [Double] {
    let clock = ContinuousClock()
    var times: [Double] = []
    while !Task.isCancelled {
      let start = ticks()
      _ = try await engine.answer(StatusQuery())
      times.append((ticks() - start) / 1e6)
      try? await clock.sleep(until: clock.now + .milliseconds(5))
    }
    return times
  }
}
