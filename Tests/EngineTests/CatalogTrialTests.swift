import CivilTime
import JSON
import Reminders
import Testing

@testable import Engine

/// Rule L2: the predicted effects of another catalog, compared with the actual effects.
@Suite struct CatalogTrialTests {
  private static func catalog(
    at time: String = "12:00", title: String = "Note", extraReminders: String = ""
  ) -> String {
    """
    catalog: notes
    events: {relapse: {}}
    categories:
      NOTE: {title: Notes, urgency: normal, channels: {push: true, email: true}}
    groups:
      notes: {enabled: true, time: "\(time)"}
      others: {enabled: true}
    reminders:
      note:
        category: NOTE
        group: notes
        every: {day: {at: $time}}
        expires: 12h
        messages: [{title: \(title), body: A note.}]
    \(extraReminders)
    """
  }

  private static let otherReminder = """
      other:
        category: NOTE
        group: others
        every: {day: {at: "15:00"}}
        expires: 1h
        messages: [{title: Other, body: Another note.}]
    """

  private func stage(_ text: String) throws -> Stage {
    let stage = try Stage(catalog: text, at: "2026-03-02 09:00")
    for name in ["amina", "bilal", "chadi"] {
      try stage.take("recipient.updated", ["email": "a@example.org"], of: name)
    }
    try stage.take(
      "preferences.updated",
      ["quietHours": ["enabled": true, "start": "20:00", "end": "22:00"]], of: "bilal")
    return stage
  }

  private func trial(_ stage: Stage, _ text: String, days: Int = 2) throws -> CatalogTrial {
    let planner = try Fixtures.planner(catalog: text)
    return try stage.query(CatalogTrialQuery(of: planner, days: days))
  }

  private func changeTexts(_ trial: CatalogTrial) -> [String] {
    trial.counts.map { change, count in
      "\(change.reminder) \(change.kind) \(count.notifications) of \(count.people)"
    }.sorted()
  }

  @Test func `the same catalog changes nothing`() throws {
    let stage = try stage(Self.catalog())
    let trial = try trial(stage, Self.catalog())
    #expect(trial.counts.isEmpty && trial.changedCount == 0)
    #expect((trial.people, trial.simulatedCount) == (3, 3))
  }

  @Test func `added, removed, moved, dropped and reworded reminders are counted`() throws {
    let plain = Self.catalog()
    let both = Self.catalog(extraReminders: Self.otherReminder)
    let stage = try stage(plain)
    #expect(try changeTexts(trial(stage, Self.catalog(title: "Mark"))) == ["note reworded 6 of 3"])
    #expect(try changeTexts(trial(stage, Self.catalog(at: "13:00"))) == ["note moved 6 of 3"])
    #expect(try changeTexts(trial(stage, both)) == ["other added 6 of 3"])
    #expect(try changeTexts(trial(try self.stage(both), plain)) == ["other cancelled 6 of 3"])
    let night = Self.catalog(at: "21:00")
    let shortExpiry = night.replacing("expires: 12h", with: "expires: 30m")
    #expect(try changeTexts(trial(try self.stage(night), shortExpiry)) == ["note dropped 2 of 1"])
    #expect(try changeTexts(trial(try self.stage(shortExpiry), night)) == ["note restored 2 of 1"])
  }

  @Test func `the predicted changes happen`() throws {
    let stage = try stage(Self.catalog())
    let later = Self.catalog(at: "21:30")
    let predicted = try trial(stage, later, days: 1)
    #expect(changeTexts(predicted) == ["note moved 3 of 3"])
    #expect(predicted.counts.values.first?.examples == ["amina", "bilal", "chadi"])
    try stage.plan(with: Fixtures.planner(catalog: later))
    try stage.run(to: "2026-03-03 09:00")
    #expect(
      stage.delivered.filter { $0.channel == .push }.map { "\($0.recipient) \($0.at)" } == [
        "amina 2026-03-02T21:30:00.000Z", "chadi 2026-03-02T21:30:00.000Z",
        "bilal 2026-03-02T22:00:00.000Z",
      ])
  }

  @Test func `a sample of 400 of 450 recipients is evaluated`() throws {
    let stage = try Stage(catalog: Self.catalog(), at: "2026-03-02 09:00")
    for number in 0..<450 { try stage.take("relapse", of: "user-\(number)") }
    let trial = try trial(stage, Self.catalog(title: "Mark"), days: 1)
    #expect((trial.people, trial.simulatedCount, trial.changedCount) == (450, 400, 400))
    let count = try #require(trial.counts.values.first)
    #expect(count.people == 400 && count.examples.count == 3)
  }

  #if DEBUG
    @Test func `H6: a recipient whose planning does not end is left out of the sample`() throws {
      let stage = try stage(Self.catalog())
      try PlanningOverrun.$steps.withValue(0) {
        let trial = try trial(stage, Self.catalog(title: "Mark"))
        #expect((trial.people, trial.simulatedCount) == (3, 0) && trial.counts.isEmpty)
        let query = ForecastQuery(span: .hours(24), part: .hours(1))
        let forecast = try stage.query(query)
        #expect(forecast.simulatedCount == 0 && !forecast.isExact)
      }
    }
  #endif
}
