import CivilTime
import Outbox
import Reminders
import TestSupport
import Testing

@testable import Engine

/// Rule D3: a delivery that its sink wrongly answers with an outage does not delay other deliveries
/// for long.
@Suite struct PoisonTests {
  /// Answers with an outage if a batch contains only Amina's deliveries. In other batches, Amina's
  /// deliveries are to be retried and the others are delivered.
  private static let failingForOne: Stage.Reply = { deliveries in
    let answers = deliveries.map { delivery in
      delivery.recipient == "amina" ? .retry(after: nil, reason: "gone") : SinkAnswer.delivered
    }
    return answers.contains(.delivered) ? .success(answers) : .failure(SinkOutage("gone"))
  }

  private let stage: Stage

  /// Gives each recipient a note that is due at noon, and lets the sink fail at noon.
  init() throws {
    stage = try Stage(planner: Fixtures.planner(catalog: Fixtures.notes()), at: "2026-03-02 11:59")
    stage.reply = Stage.failing
    for name in ["amina", "bilal", "carla"] { try stage.take("relapse", of: name) }
    try stage.run(to: "2026-03-02 12:00")
    #expect(stage.attempts.count == 3 && stage.delivered.isEmpty)
  }

  private var deliveredRecipients: [String] { stage.delivered.map(\.recipient) }

  @Test func `deliveries of other recipients arrive within 15 seconds`() throws {
    stage.reply = Self.failingForOne
    try stage.run(to: "2026-03-02 12:00:15")
    #expect(deliveredRecipients == ["bilal", "carla"])
    stage.reply = Stage.accepting
    try stage.run(to: "2026-03-02 12:10")
    #expect(deliveredRecipients == ["bilal", "carla", "amina"], "each recipient once")
  }

  @Test func `a lone delivery whose sink answers with outages stays in the queue`() throws {
    stage.reply = Self.failingForOne
    try stage.take("recipient.deleted", of: "bilal")
    try stage.take("recipient.deleted", of: "carla")
    try stage.run(to: "2026-03-02 13:00")
    #expect(deliveredRecipients.isEmpty)
    #expect(try stage.status().lanes[0].waiting == 1)
  }
}
