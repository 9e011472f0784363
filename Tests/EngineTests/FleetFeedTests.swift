import CivilTime
import Engine
import PostgresServer
import Reminders
import Store
import Testing

/// The feed of all recipients' notifications from several nodes.
@Suite(.enabled(if: PostgresServer.isAvailable, Comment(rawValue: PostgresServer.comment)))
struct FleetFeedTests {
  @Test func `the feed lists the notifications of all nodes, the latest first`() throws {
    let planner = try Fixtures.planner(catalog: Fixtures.notes())
    let town = try FleetTown(planner: planner, at: utc("2026-03-02 09:00"), "a", "b")
    try town.acquire([0, 1, 2, 3], by: "a")
    try town.acquire(FleetTown.allShards, by: "b")
    // Each recipient is due at noon.
    try town.submit(
      try (0..<20).map {
        try Fixtures.event("e\($0)", "relapse", of: "r\($0)", at: town.now, planner: planner)
      })
    try town.run(to: utc("2026-03-05 12:01"))
    let page = try town["a"].core.questions.answer(FeedQuery(), now: town.now)
    let instants = page.entries.map(\.notification.groupRecord.at)
    #expect(instants == instants.sorted(by: >) && instants.count == 80)
    #expect(Set(instants).count == 4)
  }
}
