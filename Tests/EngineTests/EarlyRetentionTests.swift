import Outbox
import Reminders
import SQLiteStore
import Store
import Systemd
import TestSupport
import Testing

@testable import Engine

/// Queries before the engine has begun.
@Suite struct EarlyRetentionTests {
  @Test func `H7: a retention query is answered before the engine begins`() async throws {
    let directory = try TemporaryDirectory.inMemory()
    var configuration = Engine.Configuration(
      store: SQLiteStore.opening(directory.path), planner: try Fixtures.planner(), sinks: [],
      routes: Routes([:]), journal: Journal(.lines(-1)),
      board: StatusBoard(ServiceManager(socket: nil)), heartbeats: Heartbeats())
    configuration.retention = Retention()
    let engine = try Engine(holding: configuration)
    let forecast = try await engine.answer(PruningQuery(.events))
    #expect(forecast.retention == Retention().events)
    try engine.begin()
    await engine.stop()
  }
}
