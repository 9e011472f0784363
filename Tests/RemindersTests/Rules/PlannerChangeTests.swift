import CivilTime
import JSON
import Testing

@testable import Reminders

/// Rule T10: the occurrences of removed reminders end with a change of catalogs.
@Suite struct PlannerChangeTests {
  private static let daily = "every: {day: {at: '12:00'}}"
  private static let early = "every: {day: {at: '11:00'}}"

  private static func planner(_ reminders: KeyValuePairs<String, String>) throws -> Planner {
    try Fixtures.planner(catalog: Fixtures.catalog(reminders: reminders))
  }

  @Test func `T10: a renamed or added reminder does not count as removed`() throws {
    let former = try Self.planner(["one": Self.daily])
    let renamed = try Self.planner(["two": Self.daily + ", was: one", "three": Self.early])
    #expect(!PlannerChange(from: former, to: renamed).removesReminders)
    #expect(PlannerChange(from: renamed, to: former).removesReminders)
  }

  @Test func `T10: a change of catalogs that removes a category is detected`() throws {
    let former = try Self.planner(["one": Self.daily])
    let text = Fixtures.catalog(reminders: ["one": Self.daily])
      .replacing("NOTE", with: "OTHER")
    let other = try Fixtures.planner(catalog: text)
    #expect(PlannerChange(from: former, to: other).removesReminders)
  }

  @Test func `T10: only held or overdue occurrences of a removed reminder are withdrawn`() throws {
    let former = try Self.planner(["one": Self.daily, "early": Self.early])
    var player = Player(planner: former, now: try utc("2026-03-02 09:00"))
    let quietHours: JSONValue = ["enabled": true, "start": "10:00", "end": "20:00"]
    try player.take("preferences.updated", ["quietHours": quietHours])
    player.jump(to: try utc("2026-03-02 11:30"))
    let planners: [(planner: Planner, removedNames: Set<String>)] = [
      (try Self.planner(["one": Self.daily, "early": Self.early]), []),
      (try Self.planner(["one": Self.daily]), ["early"]),
      (try Self.planner(["early": Self.early]), ["one"]),
      (try Self.planner(["other": Self.daily]), ["one", "early"]),
    ]
    for (planner, removedNames) in planners {
      let change = PlannerChange(from: former, to: planner)
      var recipient = player.recipient
      #expect(Set(recipient.endedKeys(by: change).keys) == Set(removedNames.map { Symbol($0) }))
      let withdrawn = recipient.withdrawRemoved(by: change, now: try utc("2026-03-02 12:30"))
      #expect(Set(withdrawn.map(\.reminder)) == Set(removedNames.map { Symbol($0) }))
    }
  }

  @Test func `T7: a withdrawn request has its own expiry`() throws {
    let former = try Self.planner(["one": Self.daily])
    var player = Player(planner: former, now: try utc("2026-03-02 09:00"))
    let quietHours: JSONValue = ["enabled": true, "start": "10:00", "end": "20:00"]
    try player.take("preferences.updated", ["quietHours": quietHours])
    try player.take(
      "notification.requested",
      [
        "category": "NOTE", "title": "Hello", "body": "-", "at": "2026-03-02T11:00:00Z",
        "expires": "20h",
      ])
    player.jump(to: try utc("2026-03-02 11:30"))
    let text = Fixtures.catalog(reminders: ["one": Self.daily])
      .replacing("NOTE", with: "OTHER")
    let change = PlannerChange(from: former, to: try Fixtures.planner(catalog: text))
    var recipient = player.recipient
    let withdrawn = recipient.withdrawRemoved(by: change, now: try utc("2026-03-02 12:30"))
    #expect(Set(withdrawn.map(\.reminder)) == [Symbol("notification.requested NOTE")])
    #expect(Set(withdrawn.map(\.expiry)) == [try utc("2026-03-03 07:00")])
  }
}
