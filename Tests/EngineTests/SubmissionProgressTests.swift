import Postgres
import PostgresServer
import TestSupport
import Testing

@testable import Engine

/// Rule S2: the watchdog sees the progress of a long poll for submissions.
@Suite(.enabled(if: PostgresServer.isAvailable, Comment(rawValue: PostgresServer.comment)))
struct SubmissionProgressTests {
  @Test func `S2: each submission of a poll counts as progress`() throws {
    let town = try FleetTown(
      planner: Fixtures.smartPlanner(), at: utc("2026-03-02 09:00"), "a")
    try town.acquire(FleetTown.allShards, by: "a")
    let connection = try PostgresConnection(town.database.location)
    for number in 0..<20 {
      let event = """
        {"specversion": "1.0", "id": "\(number)", "source": "shop", "type": "relapse", \
        "subject": "r\(number)"}
        """
      try connection.query("SELECT chimed.submit($1)", [.text(event)]) { _ in }
    }
    let core = try town["a"].core
    var steps = 0
    core.showProgress = { steps += 1 }
    try town.ingestSubmissions("a")
    #expect(core.counters.accepted == 20)
    #expect(steps == 20)
  }
}
