import CivilTime
import JSON
import Testing

@testable import Reminders

/// The event that creates and revokes the link to a recipient's calendar (rule H29).
@Suite struct CalendarLinkTests {
  private func player() throws -> Player {
    var player = Player(planner: try Fixtures.planner(), now: try utc("2026-03-02 12:00"))
    try player.take("recipient.updated", ["timezone": "Asia/Tokyo"])
    return player
  }

  @Test func `H29: the latest event decides about the link, in any order of arrival`() throws {
    var player = try player()
    #expect(player.recipient.facts.calendarLink == nil)
    let preferences = PlanningContext(
      facts: player.recipient.facts, planner: player.planner)
    try player.take("calendar.changed", ["link": 17])
    let link = try #require(player.recipient.facts.calendarLink)
    #expect(link.number == 17 && link.stamp.time == player.now)
    // A link is no preference.
    let context = PlanningContext(facts: player.recipient.facts, planner: player.planner)
    #expect(
      PreferencesDocument(context).whole(at: player.now)
        == PreferencesDocument(preferences).whole(at: player.now))
    try player.take("calendar.changed", at: player.now - .hours(1))
    #expect(player.recipient.facts.calendarLink == link)
    try player.take("calendar.changed", ["link": nil])
    #expect(player.recipient.facts.calendarLink == nil)
    try player.restart()
    #expect(player.recipient.facts.calendarLink == nil)
  }

  @Test(arguments: [0, -1, 9_007_199_254_740_992, "17", 1.5, true] as [JSONValue])
  func `H29: the number of a link is exact in JSON`(number: JSONValue) throws {
    var player = try player()
    let refusal = #expect(throws: Refusal.self) {
      try player.take("calendar.changed", ["link": number])
    }
    #expect(
      refusal?.description == "data.link must be a whole number from 1 to 9007199254740991")
    try player.take("calendar.changed", ["link": 9_007_199_254_740_991])
    #expect(player.recipient.facts.calendarLink?.number == 9_007_199_254_740_991)
  }
}
