import CivilTime
import JSON
import Reminders
import TestSupport
import Testing

/// Rules E5 and H12: requests are distinguished exactly, and their number is limited.
@Suite struct RequestTests {
  private static let catalog = """
    catalog: notes
    categories:
      NOTE: {title: Notes, channels: {push: true}}
      WORD: {title: Words, channels: {push: true}}
    groups:
      notes: {enabled: true}
    reminders:
      note: {category: NOTE, group: notes, expires: 1h,
        every: {day: {at: "23:00"}}, messages: [{title: Note, body: A note.}]}
    """

  private static func player(at now: String = "2026-03-02 09:00") throws -> Player {
    Player(planner: try Fixtures.planner(catalog: catalog), now: try utc(now))
  }

  private static func request(_ title: String, at instant: String? = nil) -> JSONValue {
    var data: JSONObject = ["category": "NOTE", "title": .string(title), "body": "-"]
    data["at"] = instant.map { .string($0) }
    return .object(data)
  }

  private static func delivered(_ player: Player) -> [String] {
    player.entries.filter { $0.outcome == .delivered && $0.reminder == Reminder.requested }
      .map { "\($0.at.description.dropFirst(8).prefix(8)) \($0.title)" }
  }

  @Test(arguments: Twins.pairs)
  func `E5: requests with equal hashes of their ids are all delivered`(
    one: String, other: String
  ) throws {
    #expect(stableHash(one) == stableHash(other))
    var player = try Self.player()
    try player.take(
      "notification.requested", Self.request("a", at: "2026-03-02T10:00:00Z"), id: one)
    try player.take(
      "notification.requested", Self.request("b", at: "2026-03-02T10:00:00Z"), id: other)
    try player.restart()
    player.advance(to: try utc("2026-03-02 12:00"))
    #expect(Self.delivered(player).sorted() == ["02T10:00 a", "02T10:00 b"])
    #expect(Set(player.entries.map(\.key)).count == 2)
    #expect(player.recipient.facts.requests.isEmpty)
  }

  static let ids = Twins.pairs + [("caf\u{e9}", "cafe\u{301}")]

  @Test(arguments: ids)
  func `E5: a cancellation finds its request by the bytes of the id`(
    one: String, other: String
  ) throws {
    var player = try Self.player()
    for (id, title) in [(one, "a"), (other, "b")] {
      try player.take(
        "notification.requested", Self.request(title, at: "2026-03-02T10:00:00Z"), id: id)
    }
    try player.take("notification.cancelled", ["notification": .string(one)])
    try player.restart()
    player.advance(to: try utc("2026-03-02 12:00"))
    #expect(Self.delivered(player) == ["02T10:00 b"])
  }

  @Test(arguments: ids)
  func `E5: a request cancelled before it arrives is not delivered`(
    one: String, other: String
  ) throws {
    var player = try Self.player()
    try player.take("notification.cancelled", ["notification": .string(one)])
    try player.restart()
    try player.take("notification.requested", Self.request("b"), id: other)
    try player.take("notification.requested", Self.request("a"), id: one)
    player.advance(to: try utc("2026-03-02 12:00"))
    #expect(Self.delivered(player) == ["02T09:00 b"])
    #expect(player.recipient.facts.requests.isEmpty)
  }

  @Test func `V5: requests for one instant go out in the order of their times`() throws {
    var player = try Self.player()
    try player.take("preferences.updated", ["caps": ["perDay": 1], "bundling": ["threshold": 0]])
    let at = "2026-03-02T10:00:00Z"
    for (id, time) in [("a", "08:30"), ("b", "08:00"), ("0", "08:30")] {
      try player.take(
        "notification.requested", Self.request(id, at: at), at: try utc("2026-03-02 \(time)"),
        id: id)
    }
    let pending = player.recipient.pending(now: player.now, planner: player.planner)
    let context = PlanningContext(facts: player.recipient.facts, planner: player.planner)
    let titles = pending.filter { $0.decision.outcome != .dropped }
      .compactMap { context.message(of: $0)?.title }.filter { $0 != "Note" }
    #expect(titles.prefix(2) == ["b", "a"])
    player.advance(to: try utc("2026-03-03 09:00"))
    #expect(Self.delivered(player) == ["02T10:00 b", "03T08:00 a"])
  }

  @Test(arguments: Seeds.all)
  func `E1: any order of requests and cancellations yields the same facts`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let planner = try Fixtures.planner(catalog: Self.catalog)
    let names = Self.ids.flatMap { [$0.0, $0.1] } + ["a", "b", "c", "d"]
    for _ in 0..<20 {
      let types = ["notification.requested", "notification.cancelled"]
      let events = try (0..<24).map { index in
        let name = names[Int.random(in: 0..<names.count, using: &random)]
        let isRequest = index < names.count
        return try Self.event(
          isRequest ? types[0] : types[1], isRequest ? names[index] : name, index, planner)
      }
      let facts = Self.foldedFacts(Array(events.enumerated()))
      for _ in 0..<10 {
        let other = Self.foldedFacts(events.enumerated().shuffled(using: &random))
        try #require(other == facts, "seed \(seed)")
        try #require(other.encoded == facts.encoded, "seed \(seed)")
      }
      let decoded = try facts.encoded.withUnsafeBytes { try Facts(decoding: $0) }
      #expect(decoded == facts, "seed \(seed)")
    }
  }

  // MARK: - The limit

  @Test func `H6: a request above the limit is refused and changes nothing`() throws {
    let planner = try Fixtures.planner(catalog: Self.catalog)
    let now = try utc("2026-03-02 09:00")
    var facts = Facts()
    for index in 0..<Facts.requestsMax {
      facts.fold(
        try Self.event("notification.requested", "\(index)", index, planner),
        order: Int64(index), memory: nil)
    }
    var full = Recipient(name: "amina", facts: facts, progress: Progress(cutoff: now))
    let oneMore = try Self.event("notification.requested", "more", 2_000, planner)
    let refusal = #expect(throws: Refusal.self) { try full.check(oneMore, planner: planner) }
    #expect(refusal?.kind == .overfull)
    #expect(refusal?.description.contains("has 1000 pending requested notifications") == true)
    let withdrawal = try Self.event("notification.cancelled", "more", 2_001, planner)
    var withdrawn = full
    withdrawn.apply(withdrawal, order: 2_001, now: now, planner: planner)
    try withdrawn.check(oneMore, planner: planner)
    let cancelled = try Self.event("notification.cancelled", "7", 2_002, planner)
    var withRoom = full
    withRoom.apply(cancelled, order: 2_002, now: now, planner: planner)
    try withRoom.check(oneMore, planner: planner)
    let firings = full.fire(now: try utc("2026-03-04 10:00"), planner: planner).firings
    #expect(firings.count { $0.result == .finished(.delivered) } >= Facts.requestsMax)
    try full.check(oneMore, planner: planner)
  }

  private static func foldedFacts(_ events: [(offset: Int, element: Event)]) -> Facts {
    events.reduce(into: Facts()) { facts, entry in
      facts.fold(entry.element, order: Int64(entry.offset) + 1, memory: nil)
    }
  }

  /// Returns an event that requests a notification for 4 March, or cancels that request.
  ///
  /// - Parameter second: The time of the event, in seconds after 09:00 on 1 March.
  private static func event(
    _ type: String, _ name: String, _ second: Int, _ planner: Planner
  ) throws -> Event {
    let isRequest = type == "notification.requested"
    let time = try utc("2026-03-01 09:00") + .seconds(second)
    let json: JSONValue = [
      "specversion": "1.0", "id": .string(isRequest ? name : "\(type) \(second)"),
      "source": "test", "type": .string(type), "subject": "amina",
      "time": .string(time.description),
      "data": isRequest
        ? request(name, at: "2026-03-04T09:00:00Z") : ["notification": .string(name)],
    ]
    return try EventReader(planner: planner).event(json, now: nil)
  }
}
