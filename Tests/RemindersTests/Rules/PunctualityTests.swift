import CivilTime
import JSON
import Reminders
import Testing

/// Rule T8: a delivery counts at its due instant unless it goes out more than a minute late.
@Suite struct PunctualityTests {
  private static let catalog = """
    catalog: apps
    categories:
      LOW: {title: Low, urgency: low, channels: {push: true}}
    reminders: {}
    """

  /// Returns the outcome of the second of two requests. The requests are for instants 45 s apart,
  /// which is also the minimum interval.
  ///
  /// - Parameter delay: the time from the instant of the first request until it is fired.
  private static func secondEntry(delay: TimeSpan) throws -> Player.Entry? {
    let start = try utc("2026-03-02 10:00")
    var player = Player(planner: try Fixtures.planner(catalog: catalog), now: start - .hours(1))
    try player.take("preferences.updated", ["caps": ["minInterval": "45s"]])
    for (title, at) in [("first", start), ("second", start + .seconds(45))] {
      try player.take(
        "notification.requested",
        [
          "category": "LOW", "title": .string(title), "body": "b",
          "at": .string(at.description), "expires": "12h",
        ])
    }
    player.jump(to: start + delay)
    player.advance(to: start + .hours(1))
    return player.entries.first { $0.title == "second" }
  }

  @Test(arguments: [0, 21, 44_999])
  func `T8: a delay below 45 seconds changes nothing`(milliseconds: Int) throws {
    let second = try Self.secondEntry(delay: .milliseconds(milliseconds))
    #expect(try second?.at == utc("2026-03-02 10:00") + .seconds(45))
    #expect(second?.outcome == .delivered && second?.reasons == [])
  }

  @Test func `T8: a delivery over a minute late counts at the instant of sending`() throws {
    let second = try Self.secondEntry(delay: .seconds(61))
    #expect(try second?.at == utc("2026-03-02 10:00") + .seconds(61 + 45))
    #expect(second?.reasons == ["minimum_interval"])
  }
}
