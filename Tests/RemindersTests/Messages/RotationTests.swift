import CivilTime
import JSON
import Reminders
import TestSupport
import Testing

/// Rule I6: an occurrence has one text on all channels, and a reminder never repeats its previous
/// text.
@Suite struct RotationTests {
  private static func catalog(messages count: Int) -> String {
    let messages = (0..<count).map { "{title: Note, body: \($0)}" }.joined(separator: ", ")
    return """
      catalog: notes
      categories:
        NOTE: {title: Notes, channels: {push: true, inapp: true}}
      groups:
        notes: {enabled: true}
      reminders:
        late: {category: NOTE, group: notes, every: {day: {at: "23:30"}}, expires: 30h, \
      messages: [\(messages)]}
        early: {category: NOTE, group: notes, every: {day: {at: "05:30"}}, expires: 12h, \
      messages: [\(messages)]}
      """
  }

  @Test(arguments: Seeds.all, [2, 3, 5])
  func `I6: channels share a text, and consecutive texts differ`(seed: UInt64, count: Int) throws {
    var random = SplitMix64(seed: seed)
    let planner = try Fixtures.planner(catalog: Self.catalog(messages: count))
    var player = Player(
      planner: planner, now: try utc("2026-03-02 08:00"), name: "\(random.next())")
    try player.take("recipient.updated", ["locale": "en"])
    for day in 0..<60 {
      let change: JSONValue =
        switch Int.random(in: 0..<4, using: &random) {
        case 0: ["quietHours": ["enabled": true, "start": "22:00", "end": "06:00"]]
        case 1: ["quietHours": ["enabled": false]]
        case 2: ["caps": ["perDay": .integer(Int64.random(in: 1...3, using: &random))]]
        default: ["channels": ["push": .bool(day % 3 > 0)]]
        }
      try player.take("preferences.updated", change)
      try player.restart()
      player.advance(to: player.now + .days(1))
    }
    for reminder in ["late", "early"] {
      let deliveries = player.entries.filter { $0.reminder == reminder && $0.outcome == .delivered }
      for entries in Dictionary(grouping: deliveries, by: \.key).values {
        try #require(Set(entries.map(\.body)).count == 1, "seed \(seed)")
      }
      let bodies = deliveries.filter { $0.channels.contains(ChannelSet(.inapp)) }.map(\.body)
      #expect(bodies.count > 50)
      #expect(deliveries.count > bodies.count)
      let isRepeated = zip(bodies, bodies.dropFirst()).contains { $0 == $1 }
      try #require(!isRepeated, "seed \(seed)")
    }
  }
}
