import CivilTime
import JSON
import Outbox
import Reminders
import Store
import Testing

@testable import Engine

/// Rule H7: the forecast of pruning equals the rows that are then pruned.
@Suite struct RetentionForecastTests {
  private static let shortRetention: Retention = {
    var retention = Retention()
    (retention.notifications, retention.events, retention.attempts) = (
      .days(40), .days(9), .days(3)
    )
    return retention
  }()

  private func forecast(_ part: RetentionPart, in stage: Stage) throws -> PruningForecast {
    try stage.query(PruningQuery(part))
  }

  /// Prunes all old rows of a part, as the engine does over time, and returns their number.
  private func remove(_ part: RetentionPart, in stage: Stage) throws -> Int {
    let core = try stage.core()
    var (count, cursor): (Int, Int64?) = (0, 0)
    while let start = cursor {
      let pruned = try core.store.prune(
        part, by: Age(before: stage.now - Self.shortRetention.span(of: part), now: stage.now),
        after: start,
        limit: 7,
        keeping: core.planner.isCurrentMilestone, folding: { _, _, _ in })
      count += pruned.removed
      cursor = pruned.cursor
    }
    return count
  }

  /// Sets the retention, and delays the engine's pruning, which would otherwise precede the query
  /// for the forecast.
  private func setRetentionWithoutPruning(in stage: Stage) throws {
    try stage.core().maintenance.pruning.retention = Self.shortRetention
    try stage.core().maintenance.pruning.next = stage.now + .days(1)
  }

  /// Checks for each part that the forecast equals the rows that are then pruned.
  ///
  /// - Parameter counts: the minimum numbers of forecast rows.
  private func check(_ stage: Stage, atLeast counts: [RetentionPart: Int]) throws {
    try setRetentionWithoutPruning(in: stage)
    for part in RetentionPart.allCases {
      let forecast = try forecast(part, in: stage)
      #expect(forecast.retention == Self.shortRetention.span(of: part))
      #expect(forecast.found.count >= counts[part] ?? 0, "\(part)")
      let end = stage.now - Self.shortRetention.span(of: part)
      #expect(forecast.found.oldest.map { $0 < end } ?? true)
      #expect(try self.forecast(part, in: stage).found == forecast.found, "unchanged")
      #expect(try remove(part, in: stage) == forecast.found.count, "\(part)")
      #expect(try self.forecast(part, in: stage).found.count == 0)
    }
  }

  @Test func `H7: the forecast equals the number of rows that are then pruned`() throws {
    let stage = try Stage(catalog: Fixtures.text(of: "imanpath"), at: "2026-03-01 09:00")
    try stage.take("streak.started", id: "s")
    try stage.take("milestone.reached", ["days": 7], id: "m")
    let request: JSONValue = [
      "category": "LESSON", "title": "t", "body": "b", "at": "2026-07-01T09:00:00Z",
    ]
    try stage.take("notification.requested", request, id: "r")
    try stage.take("relapse", of: "bilal", id: "b")
    stage.reply = { .success($0.map { _ in .rejected(reason: "no") }) }
    try stage.run(to: "2026-03-05 09:00")
    stage.reply = Stage.accepting
    try stage.run(to: "2026-05-01 09:00")
    try check(stage, atLeast: [.events: 3, .notifications: 20])
    #expect(try forecast(.events, in: stage).found.oldest == nil)
  }

  @Test func `H7: the forecast excludes the last attempt of a waiting delivery`() throws {
    let stage = try Stage(catalog: Fixtures.text(of: "imanpath"), at: "2026-03-01 09:00")
    stage.reply = { .success($0.map { _ in .retry(after: nil, reason: "busy") }) }
    try stage.take("relapse", of: "bilal", id: "b")
    try stage.run(to: "2026-03-09 09:00")
    try check(stage, atLeast: [.attempts: 5])
  }

  /// The notification has two failed attempts and an accepted attempt, all older than the
  /// retention.
  @Test func `H7: the forecast includes all attempts of a delivered notification`() throws {
    let stage = try Stage(catalog: Fixtures.text(of: "imanpath"), at: "2026-03-01 09:00")
    stage.reply = { .success($0.map { _ in .retry(after: nil, reason: "busy") }) }
    try stage.take("milestone.reached", ["days": 7], id: "m")
    try stage.run(to: "2026-03-01 09:01")
    stage.reply = Stage.accepting
    try stage.run(to: "2026-03-08 09:00")
    try setRetentionWithoutPruning(in: stage)
    let found = try forecast(.attempts, in: stage).found
    #expect(found.count == 3)
    #expect(found.oldest == (try utc("2026-03-01 09:00:01")))
    try check(stage, atLeast: [.attempts: 3])
  }

  @Test func `H7: the forecast excludes the latest unread items`() throws {
    let stage = try Stage.room()
    for number in 0..<(Retention.unreadKeptMax + 20) {
      try stage.act("comment.added", ["comment": .string("\(number)"), "preview": "p"])
      try stage.run(to: stage.now + .minutes(1))
    }
    let items = try stage.inbox().items
    try stage.write(.read([try #require(items.first).identifier]))
    try stage.run(to: stage.now + .days(60))
    try check(stage, atLeast: [.notifications: 20])
  }

  @Test func `H7: without a retention the forecast is empty`() throws {
    let stage = try Stage(catalog: Fixtures.text(of: "imanpath"), at: "2026-03-01 09:00")
    try stage.take("relapse", id: "x")
    try stage.run(to: "2026-05-01 09:00")
    try stage.core().maintenance.pruning.retention = nil
    let forecast = try forecast(.events, in: stage)
    #expect(forecast.retention == nil && forecast.found == Prunable())
  }
}
