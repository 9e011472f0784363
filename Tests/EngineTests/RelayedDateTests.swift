import CivilTime
import JSON
import Outbox
import Reminders
import Testing

@testable import Engine

/// Rules G8 and G18: messages to a carer about an instant or a date that may have passed.
@Suite struct RelayedDateTests {
  /// Returns a stage with a reminder before an instant or a date, and two messages to the carer.
  private static func announcing(_ kind: String, _ before: String, after spans: [String]) throws
    -> Stage
  {
    let steps = spans.map { span in
      "- {after: \(span), to: carer, category: CARE, messages: [{title: Visit, "
        + "body: \"{{#passed}}is over{{/passed}}{{^passed}}is due{{/passed}}\"}]}"
    }
    let catalog = """
      catalog: visits
      roles: [carer]
      events:
        booked: {visit: identifier, at: \(kind)}
        confirmed: {visit: identifier, from: recipient}
      categories:
        VISIT: {title: Visits, urgency: critical, channels: {push: true}}
        CARE: {title: Care, urgency: normal, channels: {push: true}}
      groups:
        visits: {enabled: true}
      reminders:
        visit:
          category: VISIT
          group: visits
          before: {event: booked, at: at, \(before)}
          cancel: confirmed
          expires: 3h
          escalate:
            \(steps.joined(separator: "\n      "))
          messages: [{title: Visit, body: Soon.}]
      """
    let stage = try Stage(catalog: catalog, at: "2026-03-02 06:00")
    try stage.take("recipient.updated", ["name": "Amina"])
    try stage.take("recipient.updated", ["name": "Carla"], of: "carla")
    try stage.take("relation.added", ["person": "carla", "role": "carer", "consent": "both"])
    return stage
  }

  private static func bodies(_ stage: Stage) -> [String] {
    stage.delivered.filter { $0.recipient == "carla" }.map {
      "\($0.at.description.dropFirst(8).prefix(8)) \($0.body)"
    }
  }

  @Test func `G8: a message to another person knows whether the instant has passed when sent`()
    throws
  {
    let stage = try Self.announcing("instant", "by: 1h", after: ["45m", "90m"])
    try stage.take("booked", ["visit": "a", "at": "2026-03-02T10:00:00Z"])
    try stage.run(to: "2026-03-02 11:00")
    #expect(Self.bodies(stage) == ["02T09:45 is due", "02T10:30 is over"])
  }

  @Test func `G8: a message that waits in quiet hours is about the instant of its sending`() throws
  {
    let stage = try Self.announcing("instant", "by: 1h", after: ["45m"])
    try stage.take(
      "preferences.updated",
      ["quietHours": ["enabled": true, "start": "09:30", "end": "10:20"]], of: "carla")
    try stage.take("booked", ["visit": "a", "at": "2026-03-02T10:00:00Z"])
    try stage.run(to: "2026-03-02 11:00")
    #expect(Self.bodies(stage) == ["02T10:20 is over"])
  }

  /// The second message is sent at 08:00 on 6 March in Tokyo, on 5 March in Los Angeles.
  @Test func `G8: a date passes by the clock of the person whom the message is about`() throws {
    let stage = try Self.announcing("date", "days: 1, time: \"09:00\"", after: ["23h", "47h"])
    try stage.take("recipient.updated", ["timezone": "Asia/Tokyo"])
    try stage.take("recipient.updated", ["timezone": "America/Los_Angeles"], of: "carla")
    try stage.take("booked", ["visit": "a", "at": "2026-03-05"])
    try stage.run(to: "2026-03-06 11:00")
    #expect(Self.bodies(stage) == ["04T23:00 is due", "05T23:00 is over"])
  }
}
