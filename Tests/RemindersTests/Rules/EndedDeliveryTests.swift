import CivilTime
import JSON
import Testing

@testable import Reminders

/// Rule D16: a notification is withdrawn when an event ends its occurrence.
@Suite struct EndedDeliveryTests {
  private static let catalog = Fixtures.catalog(
    events: "{booked: {visit: identifier, at: instant}, cancelled: {visit: identifier}, "
      + "course: {course: identifier}, left: {course: identifier}}",
    reminders: [
      "visit": "before: {event: booked, at: at, by: 2h}, cancel: cancelled",
      "day": "every: {day: {at: '10:00'}}, since: course, until: left",
    ])

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

  private static func delivery(
    _ key: Int64, _ player: Player, of reminder: String = "visit"
  ) -> Delivery {
    var delivery = Delivery(
      instance: "s", notification: 1, row: 1, recipient: player.recipient.name, channel: .push,
      isSilent: false, planned: player.now, at: player.now, expiry: player.now + .hours(12),
      message: Message(reminder: reminder, category: "NOTE", title: "Note", body: "A note."))
    delivery.key = key
    return delivery
  }

  @Test func `D16: the event that cancels an entity ends its notification`() throws {
    var player = try Self.player()
    let delivery = Self.delivery(try #require(player.entries.first).key, player)
    let former = Self.context(player)
    #expect(!EndedDeliveries(since: former, in: former).contains(delivery))
    try player.take("cancelled", ["visit": "a"])
    #expect(EndedDeliveries(since: former, in: Self.context(player)).contains(delivery))
  }

  @Test func `D16: an unrelated event ends no notification of a forgotten entity`() throws {
    var player = try Self.player()
    let delivery = Self.delivery(try #require(player.entries.first).key + 1, player)
    let former = Self.context(player)
    #expect(former.isWithdrawn(delivery))
    try player.take("booked", ["visit": "b", "at": "2026-03-03T12:00:00Z"])
    #expect(!EndedDeliveries(since: former, in: Self.context(player)).contains(delivery))
  }

  // MARK: - Settings of entities

  /// Settings after which the entity "a" is silent, or everything is.
  private static let silencing: [JSONValue] = [
    ["reminders": ["notes": ["items": ["a": ["enabled": false]]]]],
    ["reminders": ["notes": ["items": ["a": ["channels": []]]]]],
    ["reminders": ["notes": ["items": ["z": ["enabled": false]], "enabled": false]]],
    [
      "reminders": ["notes": ["items": ["z": ["enabled": false]]]],
      "categories": ["NOTE": ["push": false]],
    ],
  ]

  @Test(arguments: silencing)
  func `D16: a setting ends no delivered notification, and the event still does`(
    settings: JSONValue
  ) throws {
    var player = try Self.player()
    try player.take("booked", ["visit": "b", "at": "2026-03-03T12:00:00Z"])
    let delivery = Self.delivery(try #require(player.entries.first).key, player)
    let start = Self.context(player)
    try player.take("preferences.updated", settings)
    let former = Self.context(player)
    #expect(former.contextOfSentDeliveries === former.contextOfSentDeliveries)
    #expect(!EndedDeliveries(since: start, in: former).contains(delivery))
    // The events of one request are compared with the facts before them.
    try player.take("cancelled", ["visit": "b"])
    #expect(!EndedDeliveries(since: start, in: Self.context(player)).contains(delivery))
    #expect(!EndedDeliveries(since: former, in: Self.context(player)).contains(delivery))
    try player.take("cancelled", ["visit": "a"])
    #expect(EndedDeliveries(since: former, in: Self.context(player)).contains(delivery))
    #expect(EndedDeliveries(since: start, in: Self.context(player)).contains(delivery))
  }

  @Test func `T5: the context for sent deliveries has the zones of its context`() throws {
    var player = try Self.player()
    try player.take("preferences.updated", Self.silencing[0])
    let zones = try ZoneDatabase(generation: 2)
    let context = PlanningContext(
      facts: player.recipient.facts, planner: player.planner, zones: zones)
    #expect(context.contextOfSentDeliveries !== context)
    #expect(context.contextOfSentDeliveries.zones === zones)
  }

  @Test func `D16: an ended series ends no delivered notification in a request with others`() throws
  {
    var player = try Self.player()
    let key = try #require(player.entries.first).key
    let former = Self.context(player)
    try player.take(
      "pending.cancelled", ["reminder": "visit", "occurrence": .string("\(key)"), "series": true])
    try player.take("booked", ["visit": "b", "at": "2026-03-03T12:00:00Z"])
    let ended = EndedDeliveries(since: former, in: Self.context(player))
    #expect(!ended.contains(Self.delivery(key, player)))
  }

  @Test(arguments: [false, true])
  func `D16: an event ends a notification whose series has ended before`(isOfAll: Bool) throws {
    var player = try Self.player()
    let key = try #require(player.entries.first).key
    var cancellation: JSONObject = ["reminder": "visit", "series": true]
    if !isOfAll { cancellation["occurrence"] = .string("\(key)") }
    try player.take("pending.cancelled", .object(cancellation))
    let former = Self.context(player)
    let delivery = Self.delivery(key, player)
    try player.take("booked", ["visit": "b", "at": "2026-03-03T12:00:00Z"])
    #expect(!EndedDeliveries(since: former, in: Self.context(player)).contains(delivery))
    try player.take("cancelled", ["visit": "a"])
    #expect(EndedDeliveries(since: former, in: Self.context(player)).contains(delivery))
  }

  @Test func `D16: on a shared date, the end of all entities that are not muted counts`() throws {
    var player = try Self.player()
    for name in ["c", "d"] { try player.take("course", ["course": .string(name)]) }
    try player.take(
      "preferences.updated", ["reminders": ["notes": ["items": ["c": ["enabled": false]]]]])
    player.advance(to: try utc("2026-03-03 10:00"))
    let entry = try #require(player.entries.last { $0.reminder == "day" })
    let (delivery, former) = (Self.delivery(entry.key, player, of: "day"), Self.context(player))
    try player.take("left", ["course": "d"])
    #expect(EndedDeliveries(since: former, in: Self.context(player)).contains(delivery))
  }

  @Test(arguments: silencing)
  func `V7: before a retry, the category's gate drops a silenced delivery`(
    settings: JSONValue
  ) throws {
    var player = try Self.player()
    let delivery = Self.delivery(try #require(player.entries.first).key, player)
    try player.take("preferences.updated", settings)
    let decision = Self.context(player).decision(
      retrying: delivery, isReplaced: false, now: player.now)
    #expect(decision.trace.reasons == ["category"])
    try player.take("cancelled", ["visit": "a"])
    let ended = Self.context(player).decision(
      retrying: delivery, isReplaced: false, now: player.now)
    #expect(ended.trace.reasons == ["withdrawn"])
  }
}
