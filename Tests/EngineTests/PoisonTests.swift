import CivilTime
import Outbox
import Reminders
import TestSupport
import Testing

@testable import Engine

/// Rule D3: what a sink cannot take, though it says that it takes nothing at all, holds up nobody
/// else for long.
@Suite struct PoisonTests {
  /// A sink that fails with what is for Amina. Where it has others as well, it answers for each.
  private static let failingForOne: Stage.Reply = { deliveries in
    let answers = deliveries.map { delivery in
      delivery.recipient == "amina" ? .retry(after: nil, reason: "gone") : SinkAnswer.delivered
    }
    return answers.contains(.delivered) ? .success(answers) : .failure(SinkOutage("gone"))
  }

  private let stage: Stage

  /// A note each, due at noon.
  init() throws {
    stage = try Stage(planner: Fixtures.planner(catalog: Fixtures.notes()), at: "2026-03-02 11:59")
    stage.reply = Stage.failing
    for name in ["amina", "bilal", "carla"] { try stage.take("relapse", of: name) }
    try stage.run(to: "2026-03-02 12:00")
    #expect(stage.attempts.count == 3 && stage.delivered.isEmpty)
  }

  private var reached: [String] { stage.delivered.map(\.recipient) }

  @Test func theOthersAreReachedWithinAQuarterOfAMinute() throws {
    stage.reply = Self.failingForOne
    try stage.run(to: "2026-03-02 12:00:15")
    #expect(reached == ["bilal", "carla"])
    stage.reply = Stage.accepting
    try stage.run(to: "2026-03-02 12:10")
    #expect(reached == ["bilal", "carla", "amina"], "each once")
  }

  @Test func whoWaitsAloneTriesAlone() throws {
    stage.reply = Self.failingForOne
    try stage.take("recipient.deleted", of: "bilal")
    try stage.take("recipient.deleted", of: "carla")
    try stage.run(to: "2026-03-02 13:00")
    #expect(reached.isEmpty)
    #expect(try stage.status().lanes[0].waiting == 1)
  }
}
