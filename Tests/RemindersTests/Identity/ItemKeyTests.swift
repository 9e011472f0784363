import CivilTime
import JSON
import Reminders
import Testing

/// Entities whose identifiers have equal hashes are distinguished by comparing the identifiers.
@Suite struct ItemKeyTests {
  private static let catalog = Fixtures.catalog(
    events: """
      {booked: {appointment: identifier, at: instant}, cancelled: {appointment: identifier}}
      """,
    reminders: [
      "visit": """
      before: {event: booked, at: at, by: [24h, 2h]}, cancel: [cancelled], expires: 1h, \
      messages: [{title: "{{appointment}}", body: "-"}]
      """
    ])

  private static let at = "2026-03-04T09:00:00Z"

  private static func bookingLine(_ name: String) -> String {
    "event booked {\"appointment\": \"\(name)\", \"at\": \"\(at)\"}"
  }

  @Test func `G1: entities with equal hashes each have their reminders once`() throws {
    let (one, other) = (Twins.one, Twins.other)
    try Diary.expect(
      """
      2026-03-02 07:00  \(Self.bookingLine(other))
      2026-03-02 08:00  \(Self.bookingLine(one))
      2026-03-03 08:00  restart
      2026-03-03 09:00  > visit "\(other)"
      2026-03-03 09:00  > visit "\(one)"
      2026-03-03 10:00  \(Self.bookingLine(other))
      2026-03-03 11:00  \(Self.bookingLine(one))
      2026-03-04 07:00  > visit "\(other)"
      2026-03-04 07:00  > visit "\(one)"
      2026-03-05 00:00  end
      """, catalog: Self.catalog)
  }

  @Test func `G1: cancelling one of two entities with equal hashes keeps the other entity`()
    throws
  {
    let (one, other) = (Twins.one, Twins.other)
    try Diary.expect(
      """
      2026-03-02 07:00  \(Self.bookingLine(one))
      2026-03-02 08:00  \(Self.bookingLine(other))
      2026-03-03 09:00  > visit "\(one)"
      2026-03-03 09:00  > visit "\(other)"
      2026-03-03 10:00  event cancelled {"appointment": "\(one)"}
      2026-03-04 07:00  > visit "\(other)"
      2026-03-05 00:00  end
      """, catalog: Self.catalog)
  }

  @Test func `N2: batches of actors with equal hashes stay separate`() throws {
    var room = try Room()
    try room.add(Room.elements(photos: 1), by: Twins.one)
    try room.add(Room.elements(photos: 2), by: Twins.other)
    #expect(room.texts(on: .push).count == 2)
  }

  /// Many entities are looked up in another data structure than few.
  @Test func `G1: keys do not depend on the number of entities`() throws {
    let (few, many) = (try Self.keys(besides: 0), try Self.keys(besides: 60))
    #expect(few.count == 2 && many.count == 62)
    #expect(few[Twins.one] == many[Twins.one] && few[Twins.other] == many[Twins.other])
    for keys in [few, many] {
      let allKeys = keys.values.joined()
      #expect(allKeys.count == 2 * keys.count && Set(allKeys).count == allKeys.count)
    }
  }

  /// Returns, by entity, the keys of the deliveries about two entities with equal hashes, and about
  /// `count` other entities.
  private static func keys(besides count: Int) throws -> [String: [Int64]] {
    let planner = try Fixtures.planner(catalog: catalog)
    var player = Player(planner: planner, now: try utc("2026-03-02 07:00"))
    for name in [Twins.one, Twins.other] + (0..<count).map({ "more \($0)" }) {
      try player.take("booked", ["appointment": .string(name), "at": .string(at)])
    }
    player.advance(to: try utc("2026-03-05 00:00"))
    return Dictionary(grouping: player.entries, by: \.title).mapValues { $0.map(\.key) }
  }
}
