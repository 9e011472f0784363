import CivilTime
import Dispatch
import Outbox
import Reminders
import SQLiteStore
import Synchronization
import Systemd
import TestSupport
import Testing

@testable import Engine

/// Rule H16: work that may take seconds has its own thread.
@Suite(.timeLimit(.minutes(1))) struct HeavyWorkTests {
  private func withEngine(_ body: (Engine) async throws -> Void) async throws {
    let directory = try TemporaryDirectory.inMemory()
    let engine = try Engine(
      Engine.Configuration(
        store: SQLiteStore.opening(directory.path), planner: try Fixtures.planner(), sinks: [],
        routes: Routes([:]), journal: Journal(.lines(-1)),
        board: StatusBoard(ServiceManager(socket: nil)), heartbeats: Heartbeats()))
    do {
      try await body(engine)
    } catch {
      await engine.stop()
      throw error
    }
    await engine.stop()
  }

  /// Runs heavy work until `release` is signaled.
  ///
  /// - Returns: The reason for which the engine refused the work; nil if it did the work.
  private static func refusalOfWork(
    _ engine: Engine, _ burden: QueryBurden = .trial, until release: DispatchSemaphore
  ) async -> ServiceUnavailable.Kind? {
    do throws(ServiceUnavailable) {
      try await engine.work(burden) { release.wait() }
      return nil
    } catch {
      return error.kind
    }
  }

  @Test func `H16: heavy work has a short queue and does not delay queries`() async throws {
    try await withEngine { engine in
      let (hasBegun, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let waiting = QuestionThreads.Duty.trials.waitingMax
      async let first: Void = engine.work(.trial) {
        hasBegun.signal()
        release.wait()
      }
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          hasBegun.wait()
          continuation.resume()
        }
      }
      try await withThrowingTaskGroup(of: ServiceUnavailable.Kind?.self) { group in
        for _ in 0...waiting {
          group.addTask { await Self.refusalOfWork(engine, until: release) }
        }
        #expect(try await group.next() == .busy)
        #expect(try await engine.work(.people) { 7 } == 7)
        #expect(try await engine.answer(AgendaQuery(of: "amina")) == nil)
        #expect(try await engine.answer(StatusQuery()).recipients == 0)
        for _ in 0...waiting { release.signal() }
        for try await kind in group { #expect(kind == nil) }
      }
      try await first
    }
  }

  @Test(arguments: [
    (QueryBurden.calendar, QuestionThreads.Duty.calendars, QueryBurden.trial),
    (QueryBurden.trial, QuestionThreads.Duty.trials, QueryBurden.calendar),
  ])
  func `H33: calendars and catalogs refuse only requests of their own kind`(
    full: QueryBurden, duty: QuestionThreads.Duty, other: QueryBurden
  ) async throws {
    try await withEngine { engine in
      let (hasBegun, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      async let first: Void = engine.work(full) {
        hasBegun.signal()
        release.wait()
      }
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          hasBegun.wait()
          continuation.resume()
        }
      }
      try await withThrowingTaskGroup(of: ServiceUnavailable.Kind?.self) { group in
        for _ in 0...duty.waitingMax {
          group.addTask { await Self.refusalOfWork(engine, full, until: release) }
        }
        #expect(try await group.next() == .busy)
        #expect(try await engine.work(other) { 7 } == 7)
        for _ in 0...duty.waitingMax { release.signal() }
        for try await kind in group { #expect(kind == nil) }
      }
      try await first
    }
  }

  // MARK: - Queries

  /// A query about recipients that occupies its thread until `release` is signaled.
  private struct LongQuery: EngineQuery {
    let hasBegun: DispatchSemaphore
    let release: DispatchSemaphore

    func answer(from questions: Questions, now: Instant) -> Instant {
      hasBegun.signal()
      release.wait()
      return now
    }
  }

  @Test func `H6: queries about recipients do not delay queries about the service`() async throws {
    try await withEngine { engine in
      let (hasBegun, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let count = Engine.readersMax
      try await withThrowingTaskGroup(of: Instant.self) { group in
        defer { for _ in 0..<count { release.signal() } }
        for _ in 0..<count {
          group.addTask { try await engine.answer(LongQuery(hasBegun: hasBegun, release: release)) }
        }
        await withCheckedContinuation { continuation in
          DispatchQueue.global().async {
            for _ in 0..<count { hasBegun.wait() }
            continuation.resume()
          }
        }
        let status = try await engine.answer(StatusQuery())
        let metrics = try await engine.answer(MetricsQuery())
        #expect(status.parts.map(\.name).contains("engine"))
        #expect(metrics.parts.map(\.name).contains("engine"))
      }
    }
  }

  @Test func `S7: an engine that has ended refuses every query`() async throws {
    let stoppedEngine = Mutex<Engine?>(nil)
    try await withEngine { engine in stoppedEngine.withLock { $0 = engine } }
    let engine = try #require(stoppedEngine.withLock { $0 })
    let (status, agenda) = (StatusQuery(), AgendaQuery(of: "amina"))
    let trial = CatalogTrialQuery(of: engine.planner, days: 1)
    #expect(await Self.refusal(of: status, by: engine)?.kind == .stopping)
    #expect(await Self.refusal(of: agenda, by: engine)?.kind == .stopping)
    #expect(await Self.refusal(of: trial, by: engine)?.kind == .stopping)
  }

  private static func refusal(
    of query: some EngineQuery, by engine: Engine
  ) async -> ServiceUnavailable? {
    do throws(ServiceUnavailable) {
      _ = try await engine.answer(query)
      return nil
    } catch {
      return error
    }
  }
}
