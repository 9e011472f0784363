import CivilTime
import JSON
import Testing

@testable import Reminders

/// Rule D16: a notification is withdrawn when an event ends its occurrence.
@Suite struct EndedDeliveryTests {
  private static let catalog = Fixtures.catalog(
    events: "{booked: {visit: identifier, at: instant}, cancelled: {visit: identifier}}",
    reminders: ["visit": "before: {event: booked, at: at, by: 2h}, cancel: cancelled"])

  private static func player() throws -> Player {
    var player = Player(
      planner: try Fixtures.planner(catalog: catalog), now: try utc("2026-03-02 08:00"))
    try player.take("booked", ["visit": "a", "at": "2026-03-02T12:00:00Z"])
    player.advance(to: try utc("2026-03-02 10:00"))
    return player
  }

  private static func context(_ player: Player) -> PlanningContext {
    PlanningContext(facts: player.recipient.facts, planner: player.planner)
  }

  private static func delivery(_ key: Int64, _ player: Player) -> Delivery {
    var delivery = Delivery(
      instance: "s", notification: 1, row: 1, recipient: player.recipient.name, channel: .push,
      isSilent: false, planned: player.now, at: player.now, expiry: player.now + .hours(12),
      message: Message(reminder: "visit", category: "NOTE", title: "Note", body: "A note."))
    delivery.key = key
    return delivery
  }

  @Test func `D16: the event that cancels an entity ends its notification`() throws {
    var player = try Self.player()
    let delivery = Self.delivery(try #require(player.entries.first).key, player)
    let former = Self.context(player)
    #expect(!former.hasEnded(delivery, since: former))
    try player.take("cancelled", ["visit": "a"])
    #expect(Self.context(player).hasEnded(delivery, since: former))
  }

  @Test func `D16: an unrelated event ends no notification of a forgotten entity`() throws {
    var player = try Self.player()
    let delivery = Self.delivery(try #require(player.entries.first).key + 1, player)
    let former = Self.context(player)
    #expect(former.isWithdrawn(delivery))
    try player.take("booked", ["visit": "b", "at": "2026-03-03T12:00:00Z"])
    #expect(!Self.context(player).hasEnded(delivery, since: former))
  }
}
