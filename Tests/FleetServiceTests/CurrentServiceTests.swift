import Engine
import Testing

@testable import FleetService

/// The service of a node whose engine can be replaced.
@Suite struct CurrentServiceTests {
  @Test func `F3: a node without an engine refuses queries and events`() async throws {
    let service = try NodeStage().service
    let query = await #expect(throws: ServiceUnavailable.self) {
      try await service.answer(StatusQuery())
    }
    let events = await #expect(throws: ServiceUnavailable.self) { try await service.submit([]) }
    #expect(query?.kind == .elsewhere && events?.kind == .elsewhere)
    #expect(query?.description == events?.description)
  }
}
