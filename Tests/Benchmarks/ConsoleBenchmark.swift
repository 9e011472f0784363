import CivilTime
import Engine
import Foundation
import Outbox
import Reminders
import SQLiteStore
import Systemd

/// Measures the console's queries among very many recipients: the overview's status and forecast,
/// the search by the beginning of an id, and one person's pages.
struct ConsoleBenchmark {
  /// The number of recipients.
  let people: Int

  /// The number of events in a request that fills the store.
  private static let batchSize = 1_000
  /// The number of times that each query is measured.
  private static let rounds = 50

  func run() async throws {
    try await withScratchDirectory { directory in
      let sink = MeasuringSink()
      let engine = try Engine(
        Engine.Configuration(
          store: SQLiteStore.opening(directory + "/state"), planner: try Workload.planner(),
          sinks: [sink], routes: Routes(allTo: sink.name),
          journal: Journal(.lines(open("/dev/null", O_WRONLY))),
          board: StatusBoard(ServiceManager(socket: nil)), heartbeats: Heartbeats()))
      try await fill(engine)
      print("the console's questions, \(people) people, p50 and the longest of \(Self.rounds)")
      try await measure(engine)
      await engine.stop()
    }
  }

  /// Each recipient has a daily check-in, so each has an occurrence due in the next 24 hours.
  private func fill(_ engine: Engine) async throws {
    for first in stride(from: 0, to: people, by: Self.batchSize) {
      let events = (first..<min(people, first + Self.batchSize)).map { number in
        Workload.event(
          number, "checkin.completed", recipient: number, at: WallClock.now() - .hours(1),
          .happening(number: nil))
      }
      _ = try await engine.submit(events)
    }
  }

  private func measure(_ engine: Engine) async throws {
    try await time("status") { _ = try await engine.answer(StatusQuery()) }
    try await time("forecast") {
      _ = try await engine.answer(ForecastQuery(span: .hours(24), part: .minutes(15)))
    }
    for prefix in ["", "user-", "user-\(people / 2)", "nobody"] {
      try await time("search \"\(prefix)\"") {
        _ = try await engine.answer(RecipientsQuery(prefix: prefix, limit: 50))
      }
    }
    let name = "user-\(people / 2)"
    try await time("a person's agenda") { _ = try await engine.answer(AgendaQuery(of: name)) }
    try await time("a person's history") {
      _ = try await engine.answer(NotificationHistoryQuery(of: name))
    }
  }

  private func time(_ name: String, _ query: () async throws -> Void) async throws {
    var times: [Double] = []
    for _ in 0..<Self.rounds {
      let start = ticks()
      try await query()
      times.append((ticks() - start) / 1e6)
    }
    times.sort()
    show("\(name), p50", times[times.count / 2], "ms")
    show("\(name), longest", times[times.count - 1], "ms")
  }
}
