import CivilTime
import Engine
import JSON
import Outbox
import Reminders
import Testing

/// Rule N6: delivered and dismissed notifications, and the search for them.
@Suite struct NotificationHistoryTests {
  private func stage() throws -> Stage {
    let stage = try Stage(catalog: Fixtures.notes(), at: "2026-03-02 08:00")
    try stage.take("recipient.updated", ["locale": "en"])
    return stage
  }

  private func days(_ history: NotificationHistory?) -> [String] {
    (history?.entries ?? []).map { String($0.at.description.prefix(10)) }
  }

  @Test func `N6: the pages of the history begin with the latest notification`() throws {
    let stage = try stage()
    try stage.run(to: "2026-03-08 00:00")
    let all = days(try stage.history())
    #expect(
      all == ["2026-03-07", "2026-03-06", "2026-03-05", "2026-03-04", "2026-03-03", "2026-03-02"])
    for limit in 1...7 {
      var (listedDays, next): ([String], Int64?) = ([], nil)
      repeat {
        let page = try stage.history {
          $0.limit = limit
          $0.after = next
        }
        #expect((page?.entries.count ?? 0) <= limit)
        listedDays += days(page)
        next = page?.next
      } while next != nil
      #expect(listedDays == all)
    }
  }

  @Test func `N6: notifications are dismissed one by one or all at once`() throws {
    let stage = try stage()
    try stage.run(to: "2026-03-05 00:00")
    let entries = try #require(try stage.history()?.entries)
    #expect(try stage.write(.dismiss(entries[1].identifier))?.counts.recent == 2)
    #expect(try stage.write(.dismiss(entries[1].identifier))?.count == 0)
    #expect(days(try stage.history()) == ["2026-03-04", "2026-03-02"])
    #expect(try stage.write(.clear) == InboxReceipt(count: 2, counts: InboxCounts()))
    #expect(days(try stage.history()) == [])
    #expect(try stage.agenda()?.entries.count == 1)
    #expect(days(try stage.history { $0.part = .dismissed }).count == 3)
    try stage.run(to: "2026-03-06 00:00")
    #expect(days(try stage.history()) == ["2026-03-05"])
    #expect(days(try stage.history { $0.part = .all }).count == 4)
  }

  @Test func `N6: the history is searched and filtered`() throws {
    let stage = try Stage.room()
    try stage.act("room.liked")
    try stage.run(to: "2025-07-04 13:00")
    try stage.act("user.followed", ["isFollowingBack": false], by: "renee")
    try stage.take("preferences.updated", ["channels": ["push": false]])
    try stage.act("room.deleted")
    func bodies(_ change: (inout NotificationHistoryQuery) -> Void) throws -> [String] {
      try stage.history(change)?.entries.map(\.message.body) ?? []
    }
    #expect(try bodies { $0.words = ["ITALY", "liked"] } == ["pete liked your room: Italy"])
    #expect(try bodies { $0.category = "USER_FOLLOWED" } == ["renee started following you"])
    #expect(try bodies { $0.channel = .push }.count == 2)
    #expect(try bodies { $0.channel = .email } == [])
    #expect(try bodies { $0.to = stage.now } == ["pete liked your room: Italy"])
    #expect(try bodies { $0.from = stage.now }.count == 2)
    #expect(try bodies { $0.states = [.dropped] } == [])
  }

  @Test func `a dropped notification is found with its reasons`() throws {
    let stage = try Stage(
      catalog: Fixtures.notes(expires: "1h"), at: "2026-03-02 08:00")
    try stage.take("vacation.started", ["until": "2026-03-02"])
    try stage.run(to: "2026-03-04 00:00")
    #expect(days(try stage.history()) == ["2026-03-03"])
    let dropped = try #require(
      try stage.history {
        $0.states = [.dropped]
        $0.part = .all
      }?.entries)
    #expect(dropped.map(\.reasons) == [["vacation"]])
    #expect(try stage.inbox().counts.recent == 1)
  }

  @Test func `D6: a notification counts as delivered when a sink has accepted it`() throws {
    let stage = try Stage(catalog: Fixtures.notes(), at: "2026-03-02 08:00")
    try stage.take("recipient.updated", ["locale": "en"])
    stage.reply = Stage.failing
    try stage.run(to: "2026-03-02 12:00")
    #expect(days(try stage.history()) == [])
    #expect(try stage.history { $0.states = [.sending] }?.entries.map(\.state) == [.sending])
    #expect(try stage.query(ArrivedCountQuery(of: "amina")) == 0)
    stage.reply = { .success($0.map { _ in .retry(after: nil, reason: "busy") }) }
    try stage.run(to: "2026-03-02 12:04")
    let waiting = try #require(try stage.history { $0.states = [.sending] }?.entries.first)
    #expect(waiting.deliveries.map(\.obstacle) == ["busy"])
    stage.reply = Stage.accepting
    try stage.run(to: "2026-03-02 13:00")
    let arrived = try #require(try stage.history()?.entries.first)
    #expect(arrived.at == (try utc("2026-03-02 12:00")))
    let delivery = try #require(arrived.deliveries.first)
    #expect(delivery.at > arrived.at && delivery.state == .accepted)
    #expect(try stage.query(ArrivedCountQuery(of: "amina")) == 1)
    stage.reply = { .success($0.map { _ in SinkAnswer(.rejected(reason: "unknown device")) }) }
    try stage.run(to: "2026-03-03 13:00")
    #expect(days(try stage.history()) == ["2026-03-02"])
    #expect(try stage.query(ArrivedCountQuery(of: "amina")) == 1)
    let failed = try #require(try stage.history { $0.states = [.failed] }?.entries)
    #expect(failed.flatMap(\.deliveries).map(\.obstacle) == ["unknown device"])
  }

  @Test func `D6: each channel has its own times and reasons`() throws {
    let stage = try Stage.room()
    try stage.take(
      "preferences.updated", ["quietHours": ["enabled": true, "start": "11:00", "end": "12:30"]])
    try stage.act("room.liked")
    try stage.run(to: "2025-07-04 12:10")
    let liked = try #require(try stage.history()?.entries.first)
    #expect(liked.deliveries.map(\.channel) == [.inapp])
    #expect(try stage.query(ArrivedCountQuery(of: "amina")) == 1)
    stage.reply = { .success($0.map { _ in SinkAnswer(.rejected(reason: "no")) }) }
    try stage.run(to: "2025-07-04 13:00")
    let deliveries = try #require(try stage.history()?.entries.first?.deliveries)
    #expect(deliveries.map(\.channel) == [.inapp, .push])
    #expect(deliveries.map(\.state) == [.accepted, .failed])
    #expect(deliveries.map(\.reasons) == [[], ["quiet_hours"]])
    #expect(deliveries.map(\.at) == [try utc("2025-07-04 12:00"), try utc("2025-07-04 12:30")])
  }

  @Test func `a notification that is dropped at a retry does not count as recent`() throws {
    let stage = try Stage(catalog: Fixtures.notes(expires: "12h"), at: "2026-03-02 08:00")
    stage.reply = { .success($0.map { _ in .retry(after: nil, reason: "busy") }) }
    try stage.take("recipient.updated", ["locale": "en"])
    try stage.run(to: "2026-03-02 12:00")
    #expect(try stage.inbox().counts.recent == 1)
    try stage.take("preferences.updated", ["master": false])
    try stage.run(to: "2026-03-02 16:00")
    #expect(try stage.history { $0.states = [.dropped] }?.entries.count == 1)
    #expect(try stage.inbox().counts.recent == 0)
  }

  /// The occurrences were dropped while the clock was ahead.
  @Test func `T6: the history has no gap after deliveries replaced drops`() throws {
    let stage = try stage()
    try stage.run(to: "2026-03-03 00:00")
    try stage.jump(to: "2026-03-06 18:00")
    try stage.jump(to: "2026-03-03 00:00")
    try stage.run(to: "2026-03-08 00:00")
    #expect(days(try stage.history { $0.states = nil }).count == 6)
    #expect(try stage.inbox().counts.recent == days(try stage.history()).count)
  }
}
