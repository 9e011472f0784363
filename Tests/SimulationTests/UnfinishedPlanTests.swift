#if DEBUG
  import JSON
  import Reminders
  import Testing

  /// Rule H6: a plan that is cut short is an error, never an incomplete answer.
  @Suite struct UnfinishedPlanTests {
    /// A bound for planning loops: fewer steps than a week has days.
    private static let steps = 4

    private static let catalog = """
      catalog: notes
      categories: {NOTE: {title: Notes, channels: {push: true}}}
      groups: {weekly: {enabled: true, day: [mon]}}
      reminders:
        weekly: {category: NOTE, group: weekly, expires: 12h,
          every: {week: {on: $day, at: "10:00"}}, messages: [{title: Weekly, body: b}]}
      """

    @Test func `H6: a simulation whose planning does not end names the recipient and the loop`()
      throws
    {
      let planner = try Fixtures.planner(catalog: Self.catalog)
      let events = try Fixtures.events(
        [("zoe", "2026-03-03T12:00:00Z", "recipient.updated", ["timezone": "UTC"])], planner)
      let error = #expect(throws: UnfinishedPlan.self) {
        try PlanningOverrun.$steps.withValue(Self.steps) {
          _ = try Fixtures.timeline(events, planner, until: "2026-03-20T12:00:00Z")
        }
      }
      #expect(error?.recipient == "zoe")
      #expect(error?.overrun.loop == "dates of a calendar")
      #expect(try Fixtures.timeline(events, planner, until: "2026-03-20T12:00:00Z").count == 2)
    }

    @Test func `H6: a simulation of too many instants ends with an error`() throws {
      let catalog = Self.catalog.replacing("[mon]", with: "[mon, tue, wed, thu, fri, sat, sun]")
      let planner = try Fixtures.planner(catalog: catalog)
      let events = try Fixtures.events(
        [("zoe", "2026-03-03T12:00:00Z", "recipient.updated", ["timezone": "UTC"])], planner)
      let error = #expect(throws: UnfinishedPlan.self) {
        try PlanningOverrun.$steps.withValue(20) {
          _ = try Fixtures.timeline(events, planner, until: "2026-06-20T12:00:00Z")
        }
      }
      #expect(error?.overrun.loop == "simulated instants")
    }

    @Test func `H6: a query whose planning does not end has no answer`() throws {
      let planner = try Fixtures.planner(catalog: Self.catalog)
      let events = try Fixtures.events(
        [("zoe", "2026-03-03T12:00:00Z", "recipient.updated", ["timezone": "UTC"])], planner)
      let now = events[0].time
      var recipient = Recipient(name: "zoe", now: now)
      recipient.apply(events[0], order: 0, now: now, planner: planner)
      let knownRecipient = recipient
      func pending() -> Result<Int, UnfinishedPlan> {
        knownRecipient.answer { $0.pending(now: now, planner: planner).count }
      }
      #expect(try pending().get() == 1)
      let incompleteAnswer = PlanningOverrun.$steps.withValue(Self.steps, operation: pending)
      #expect(throws: UnfinishedPlan.self) { try incompleteAnswer.get() }
    }
  }
#endif
