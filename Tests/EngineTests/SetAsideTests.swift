#if DEBUG
  import CivilTime
  import JSON
  import Reminders
  import Testing

  @testable import Engine

  /// Rule H6: the plan of one recipient never stops other recipients.
  @Suite struct SetAsideTests {
    /// The limit of steps for each loop of a plan. A loop over the days of a week exceeds it.
    private static let steps = 4

    private static let catalog = """
      catalog: notes
      categories: {NOTE: {title: Notes, channels: {push: true}}}
      groups:
        daily: {enabled: true, time: "21:00"}
        weekly: {enabled: false, day: [mon]}
      reminders:
        daily: {category: NOTE, group: daily, expires: 12h, every: {day: {at: $time}},
          messages: [{title: Daily, body: b}]}
        weekly: {category: NOTE, group: weekly, expires: 12h,
          every: {week: {on: $day, at: "10:00"}}, messages: [{title: Weekly, body: b}]}
      """

    private func event(
      _ stage: Stage, _ name: String, _ type: String, _ data: JSONValue
    ) throws -> Event {
      try Fixtures.event(
        "\(name) \(type)", type, of: name, at: stage.now, data, planner: stage.planner)
    }

    @Test func `H6: a recipient whose plan does not end is set aside, others are not affected`()
      throws
    {
      let stage = try Stage(catalog: Self.catalog, at: "2026-03-02 12:00")
      try PlanningOverrun.$steps.withValue(Self.steps) {
        _ = try stage.submit([
          event(stage, "amina", "recipient.updated", ["timezone": "UTC"]),
          event(stage, "zoe", "recipient.updated", ["timezone": "UTC"]),
        ])
        let receipts = try stage.submit([
          event(stage, "zoe", "preferences.updated", ["reminders": ["weekly": ["enabled": true]]])
        ])
        for receipt in receipts { #expect(receipt.isAccepted) }
        #expect(stage.world.setAside.map(\.name) == ["zoe"])
        let status = try stage.status()
        #expect(status.recipientsSetAside == 1)
        #expect(
          StatusReporter.line(status).hasPrefix("1 recipient is set aside, see the journal; "))
        try stage.run(to: "2026-03-02 21:00")
        #expect(stage.delivered.map(\.recipient) == ["amina"])
        #expect(stage.world.setAside.count == 1)
      }
      // Without the limit of steps, planning ends. So the hourly retry succeeds, and the events
      // reported before the retry take effect.
      try stage.run(to: "2026-03-09 22:00")
      #expect(try stage.status().recipientsSetAside == 0)
      let titles = stage.delivered.filter { $0.recipient == "zoe" }.map(\.message.title)
      #expect(titles.count { $0 == "Weekly" } == 1)
      #expect(titles.count { $0 == "Daily" } >= 7)
    }
  }

  extension Receipt {
    fileprivate var isAccepted: Bool { if case .accepted = self { true } else { false } }
  }
#endif
