import Dispatch
import Outbox
import Reminders
import SQLiteStore
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

  /// Works until it is released. Returns why the engine refused the work; nil if it did not.
  private static func isRefused(_ engine: Engine, until release: DispatchSemaphore) async
    -> ServiceUnavailable.Kind?
  {
    do throws(ServiceUnavailable) {
      try await engine.heavyWork { release.wait() }
      return nil
    } catch {
      return error.kind
    }
  }

  @Test func `H6: heavy work has a short queue and does not delay queries`() async throws {
    try await withEngine { engine in
      let (begun, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let waiting = QuestionThreads.Duty.trials.waitingMax
      async let first: Void = engine.heavyWork {
        begun.signal()
        release.wait()
      }
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          begun.wait()
          continuation.resume()
        }
      }
      try await withThrowingTaskGroup(of: ServiceUnavailable.Kind?.self) { group in
        for _ in 0...waiting {
          group.addTask { await Self.isRefused(engine, until: release) }
        }
        #expect(try await group.next() == .busy)
        #expect(try await engine.work { 7 } == 7)
        #expect(try await engine.agenda(of: "amina") == nil)
        #expect(try await engine.status().recipients == 0)
        for _ in 0...waiting { release.signal() }
        for try await kind in group { #expect(kind == nil) }
      }
      try await first
    }
  }
}
