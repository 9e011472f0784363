import CivilTime
import JSON
import Testing

@testable import Engine

/// Rule F6: a node with a wrong clock decides by the server's clock.
@Suite struct ServerClockTests {
  private static let start = Instant(milliseconds: 1_772_409_600_000)

  @Test(arguments: [
    (0, 0), (1_999, 1_999), (-1_999, -1_999), (2_000, 0), (-2_000, 0), (285_000, 0),
  ])
  func `F6: from a skew of 2 s, the server's clock is used`(lead: Int, expected: Int) {
    let clock = ServerClock()
    let wall = Self.start + .seconds(60) + .milliseconds(lead)
    #expect(clock.time(wall: wall, sinceBoot: .seconds(100)) == wall)
    clock.follow(ServerClock.Reading(server: Self.start, sinceBoot: .seconds(40)))
    #expect(
      clock.time(wall: wall, sinceBoot: .seconds(100))
        == Self.start + .seconds(60) + .milliseconds(expected))
    clock.follow(nil)
    #expect(clock.time(wall: wall, sinceBoot: .seconds(100)) == wall)
  }

  /// The reminder of 21:00 is due at 21:00 by the server's clock, whatever time the node's clock
  /// shows.
  @Test(arguments: ["2026-03-02 20:59:45", "2026-03-02 20:55:03", "2026-03-02 20:50"])
  func `F6: reminders go out at their time by the server's clock`(wrong: String) throws {
    let clock = ServerClock()
    let stage = try LoopStage(at: "2026-03-02 06:00", by: clock)
    clock.follow(
      ServerClock.Reading(server: try utc("2026-03-02 06:00"), sinceBoot: stage.host.sinceBoot()))
    try stage.take(at: "2026-03-02 06:30", "recipient.updated", ["timezone": "UTC"]) { _ in }
    try stage.setClock(at: "2026-03-02 20:55", to: wrong)
    try stage.stop(at: "2026-03-02 22:00")
    #expect(try stage.run() == nil)
    #expect(
      stage.deliveryLines.filter { $0.contains("daily-checkin") }
        == ["2026-03-02T21:00:00.000Z amina daily-checkin-reminder"])
  }
}
