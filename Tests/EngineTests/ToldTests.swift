import CivilTime
import Delivery
import Engine
import JSON
import Reminders
import Testing

/// Rule N4: what was delivered, dismissed, and all that can be found again.
@Suite struct ToldTests {
  private func stage() throws -> Stage {
    let stage = try Stage(catalog: Fixtures.notes(), at: "2026-03-02 08:00")
    try stage.take("recipient.updated", ["locale": "en"])
    return stage
  }

  private func times(_ told: Told?) -> [String] {
    (told?.entries ?? []).map { String($0.at.description.prefix(10)) }
  }

  @Test func n4TheLatestStandsFirstAndPagesGoOn() throws {
    let stage = try stage()
    try stage.run(to: "2026-03-08 00:00")
    let all = times(try stage.told())
    #expect(
      all == ["2026-03-07", "2026-03-06", "2026-03-05", "2026-03-04", "2026-03-03", "2026-03-02"])
    for limit in 1...7 {
      var (seen, next): ([String], Int64?) = ([], nil)
      repeat {
        let page = try stage.told {
          $0.limit = limit
          $0.after = next
        }
        #expect((page?.entries.count ?? 0) <= limit)
        seen += times(page)
        next = page?.next
      } while next != nil
      #expect(seen == all)
    }
  }

  @Test func n4DismissedOneByOneAndAllAtOnce() throws {
    let stage = try stage()
    try stage.run(to: "2026-03-05 00:00")
    let entries = try #require(try stage.told()?.entries)
    #expect(try stage.write(.dismiss(entries[1].identifier))?.counts.recent == 2)
    #expect(try stage.write(.dismiss(entries[1].identifier))?.count == 0)
    #expect(times(try stage.told()) == ["2026-03-04", "2026-03-02"])
    #expect(try stage.write(.clear) == InboxReceipt(count: 2, counts: InboxCounts()))
    #expect(times(try stage.told()) == [])
    #expect(try stage.agenda()?.entries.count == 1)
    #expect(times(try stage.told { $0.part = .dismissed }).count == 3)
    try stage.run(to: "2026-03-06 00:00")
    #expect(times(try stage.told()) == ["2026-03-05"])
    #expect(times(try stage.told { $0.part = .all }).count == 4)
  }

  @Test func n4HistoryIsSearchedAndFiltered() throws {
    let stage = try Stage.room()
    try stage.act("room.liked")
    try stage.run(to: "2025-07-04 13:00")
    try stage.act("user.followed", ["isFollowingBack": false], by: "renee")
    try stage.take("preferences.updated", ["channels": ["push": false]])
    try stage.act("room.deleted")
    func bodies(_ change: (inout ToldQuestion) -> Void) throws -> [String] {
      try stage.told(change)?.entries.map(\.caption.body) ?? []
    }
    #expect(try bodies { $0.words = ["ITALY", "liked"] } == ["pete liked your room: Italy"])
    #expect(try bodies { $0.category = "USER_FOLLOWED" } == ["renee started following you"])
    #expect(try bodies { $0.channel = .push }.count == 2)
    #expect(try bodies { $0.channel = .email } == [])
    #expect(try bodies { $0.to = stage.now } == ["pete liked your room: Italy"])
    #expect(try bodies { $0.from = stage.now }.count == 2)
    #expect(try bodies { $0.outcome = .dropped } == [])
  }

  @Test func whatWasDroppedIsFoundWithItsReasons() throws {
    let stage = try Stage(
      catalog: Fixtures.notes(expires: "1h"), at: "2026-03-02 08:00")
    try stage.take("vacation.started", ["until": "2026-03-02"])
    try stage.run(to: "2026-03-04 00:00")
    #expect(times(try stage.told()) == ["2026-03-03"])
    let dropped = try #require(
      try stage.told {
        $0.outcome = .dropped
        $0.part = .all
      }?.entries)
    #expect(dropped.map(\.reasons) == [["vacation"]])
    #expect(try stage.inbox().counts.recent == 1)
  }

  @Test func whatARetryDropsIsNotRecent() throws {
    let stage = try Stage(catalog: Fixtures.notes(expires: "1h"), at: "2026-03-02 08:00")
    stage.reply = { .success($0.map { _ in .retry(after: nil, reason: "busy") }) }
    try stage.take("recipient.updated", ["locale": "en"])
    try stage.run(to: "2026-03-02 12:00")
    #expect(try stage.inbox().counts.recent == 1)
    try stage.run(to: "2026-03-02 16:00")
    #expect(try stage.told { $0.outcome = .dropped }?.entries.count == 1)
    #expect(try stage.inbox().counts.recent == 0)
  }

  /// A clock that ran ahead dropped what is then delivered after all: it leaves no hole.
  @Test func t6TheChainHoldsWhereADropBecameADelivery() throws {
    let stage = try stage()
    try stage.run(to: "2026-03-03 00:00")
    try stage.jump(to: "2026-03-06 18:00")
    try stage.jump(to: "2026-03-03 00:00")
    try stage.run(to: "2026-03-08 00:00")
    #expect(times(try stage.told { $0.outcome = nil }).count == 6)
    #expect(try stage.inbox().counts.recent == times(try stage.told()).count)
  }
}
