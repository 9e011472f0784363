import CivilTime
import GRDB
import JSON
import Outbox
import Reminders
import Store
import TestSupport
import Testing

@testable import Engine

/// Rule H7: old rows are pruned unless they are still needed.
@Suite struct RetentionTests {
  private static let shortRetention: Retention = {
    var retention = Retention()
    (retention.notifications, retention.events, retention.attempts) = (
      .days(40), .days(9), .days(3)
    )
    return retention
  }()

  private func stage(_ catalog: String = "imanpath", at start: String) throws -> Stage {
    let stage = try Stage(catalog: Fixtures.text(of: catalog), at: start)
    try stage.core().maintenance.pruning.retention = Self.shortRetention
    return stage
  }

  private func count(_ table: String, in stage: Stage) throws -> Int {
    let queue = try DatabaseQueue(path: stage.directory.path + "/chimed.sqlite")
    return try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") ?? 0 }
  }

  /// Lets the engine prune all old rows.
  private func prune(_ stage: Stage) throws {
    try stage.run(to: stage.now + .hours(6) + .minutes(1))
  }

  @Test func `H7: old rows are pruned and recent ones stay`() throws {
    let stage = try stage(at: "2026-03-01 09:00")
    try stage.take("recipient.updated", ["timezone": "UTC"])
    stage.reply = { .success($0.map { _ in .rejected(reason: "no") }) }
    try stage.run(to: "2026-03-02 09:00")
    stage.reply = Stage.accepting
    try stage.run(to: "2026-05-01 09:00")
    try prune(stage)
    let notifications = try #require(
      try stage.query(ExportQuery(of: "amina", .notifications(after: 0)))
    )
    .notifications
    let oldest = try #require(notifications.map(\.at).min())
    #expect(oldest >= stage.now - .days(41) && oldest <= stage.now - .days(38))
    #expect(try stage.history()?.entries.count == notifications.count)
    #expect(try stage.inbox().counts.recent == notifications.count)
    #expect(try count("event", in: stage) == 0)
    #expect(try count("event_identity", in: stage) == 0)
    #expect(try count("attempt", in: stage) == 0, "attempts are pruned with their notification")
    #expect(try stage.core().questions.metrics(now: stage.now).counters.pruned > 10)
    #expect(try stage.agenda()?.entries.isEmpty == false, "facts stay")
    try stage.restart()
    #expect(try stage.take("relapse", id: "new").word == "accepted")
  }

  @Test func `H7: an event's identity is known as long as the event is kept`() throws {
    let stage = try stage(at: "2026-03-01 09:00")
    try stage.take("relapse", at: stage.now, id: "one")
    let time = stage.now
    try stage.run(to: "2026-03-09 09:00")
    try prune(stage)
    #expect(try stage.take("relapse", at: time, id: "one").word == "duplicate")
    try stage.run(to: "2026-03-12 09:00")
    try prune(stage)
    let before = try stage.agenda()?.entries.map(\.identifier)
    #expect(try stage.take("relapse", at: time, id: "one").word == "accepted")
    #expect(try stage.agenda()?.entries.map(\.identifier) == before)
  }

  /// Rule T11: if the clock is set back, rows that were pruned during the leap would be missing.
  @Test func `H7: nothing is pruned while a trusted leap may still be undone`() throws {
    let stage = try stage(at: "2026-03-01 09:00")
    try stage.take("relapse", at: stage.now, id: "one")
    let time = stage.now
    try stage.run(to: "2026-03-02 09:00")
    let arrival = try utc("2027-03-02 12:00")
    try stage.core().recordTrustedLeap(to: arrival, by: arrival - stage.now)
    try stage.jump(to: arrival)
    try prune(stage)
    #expect(try count("event", in: stage) == 1)
    #expect(try stage.take("relapse", at: time, id: "one").word == "duplicate")
    // After a week at that time, the clock counts as right.
    try stage.run(to: arrival + .days(8))
    try prune(stage)
    #expect(try count("event", in: stage) == 0)
  }

  @Test func `H7: pruning continues after a leap was undone`() throws {
    let stage = try stage(at: "2026-03-01 09:00")
    try stage.take("relapse", at: stage.now, id: "one")
    try stage.run(to: "2026-03-02 09:00")
    let arrival = try utc("2027-03-02 12:00")
    try stage.core().recordTrustedLeap(to: arrival, by: arrival - stage.now)
    try stage.jump(to: arrival)
    try prune(stage)
    try stage.jump(to: "2026-03-02 16:00")
    try stage.run(to: "2026-03-12 09:00")
    try prune(stage)
    #expect(try count("event", in: stage) == 0)
  }

  @Test func `H7: a waiting request is kept and can be cancelled`() throws {
    let stage = try stage(at: "2026-03-01 09:00")
    let request: JSONValue = [
      "category": "LESSON", "title": "t", "body": "b", "at": "2026-06-01T09:00:00Z",
    ]
    try stage.take("notification.requested", request, id: "r")
    try stage.run(to: "2026-04-01 09:00")
    try prune(stage)
    #expect(try count("event", in: stage) == 1)
    #expect(try stage.agenda()?.entries.contains { $0.title == "t" } == true)
    #expect(try stage.take("notification.cancelled", ["notification": "r"]).word == "accepted")
    #expect(try stage.agenda()?.entries.contains { $0.title == "t" } == false)
  }

  @Test func `I4: a milestone of a running streak is sent once`() throws {
    let stage = try stage(at: "2026-03-01 09:00")
    try stage.take("streak.started", id: "s")
    try stage.take("milestone.reached", ["days": 7], id: "m")
    try stage.run(to: "2026-05-01 09:00")
    try prune(stage)
    func sentCount() -> Int { stage.delivered.count { $0.reminder == "milestone-7" } }
    #expect(sentCount() == 1)
    try stage.take("milestone.reached", ["days": 7], id: "again")
    try stage.run(to: stage.now + .minutes(1))
    #expect(sentCount() == 1)
    let history = try #require(try stage.history { $0.limit = 1_000 })
    #expect(history.entries.contains { $0.message.title.contains("Sabr") })
    #expect(history.entries.last?.message.title.contains("Milestone") == true, "there is no gap")
    // After another streak has begun, the milestone may be pruned.
    try stage.take("relapse", id: "x")
    try prune(stage)
    #expect(
      try stage.history { $0.limit = 1_000 }?.entries.last?.message.title.contains("Sabr") == false)
  }

  @Test func `H7: unread items are kept and can still be marked as read`() throws {
    let stage = try Stage.room()
    try stage.core().maintenance.pruning.retention = Self.shortRetention
    try stage.act("comment.added", ["comment": "1", "preview": "one"])
    try stage.act("comment.added", ["comment": "2", "preview": "two"], by: "mara")
    try stage.run(to: stage.now + .minutes(1))
    let items = try stage.inbox().items
    try #require(items.count == 2)
    try stage.write(.read([items[0].identifier]))
    try stage.run(to: stage.now + .days(60))
    try prune(stage)
    #expect(try stage.inbox().items.map(\.identifier) == [items[1].identifier])
    #expect(try stage.inbox().counts == InboxCounts(items: 1, unread: 1, recent: 1))
    #expect(try stage.history()?.entries.map(\.identifier) == [items[1].identifier])
    #expect(try stage.write(.read([items[1].identifier]))?.count == 1)
    try prune(stage)
    #expect(try stage.inbox().counts == InboxCounts())
    #expect(try count("message", in: stage) == 0)
    try stage.take("recipient.deleted")
    #expect(try count("notification", in: stage) == 0)
  }

  @Test func `H7: a stream whose position precedes pruned rows reaches the end`() throws {
    let stage = try stage(at: "2026-03-01 09:00")
    try stage.take("recipient.updated", ["timezone": "UTC"])
    let cursor = try stage.stream().cursor
    try stage.run(to: "2026-05-01 09:00")
    try prune(stage)
    let items = try stage.read(from: cursor)
    #expect(items.count == (try stage.history { $0.limit = 1_000 }?.entries.count))
  }

  @Test func `H7: a pruning step removes at most 128 rows`() throws {
    let stage = try stage(at: "2026-03-01 09:00")
    try stage.core().maintenance.pruning.retention = nil
    for number in 0..<300 { try stage.take("relapse", of: "r\(number)") }
    try stage.run(to: "2026-03-12 09:00")
    try stage.core().maintenance.pruning.retention = Self.shortRetention
    let initialCount = try count("event", in: stage)
    stage.reply = nil
    var previousCount = initialCount
    while try count("event", in: stage) > 0, let wake = try stage.core().nextWake(now: stage.now) {
      try stage.run(to: max(wake, stage.now))
      let count = try count("event", in: stage)
      #expect(previousCount - count <= 128)
      previousCount = count
    }
    #expect(initialCount == 300 && previousCount == 0)
  }
}
