#if DEBUG
  import CivilTime
  import JSON
  import Testing

  @testable import Reminders

  /// Rule H6: the work for the plans of a recipient is linear in their number. The test counts
  /// operations instead of time.
  @Suite struct PlanCostTests {
    private static let catalog = Fixtures.catalog(
      events: "{planned: {medicine: identifier, schedule: plan}}",
      reminders: ["dose": "every: {plan: schedule}, since: planned"])
    /// The allowed factor of work for four times as many plans, with some extra for sorting.
    private static let growth = 4.5

    private static let daily: JSONValue = ["times": ["08:00", "20:00"]]

    private static func work(_ count: Int, _ plan: JSONValue = daily) throws -> Int {
      var player = Player(
        planner: try Fixtures.planner(catalog: Self.catalog), now: try utc("2026-03-02 07:00"))
      for number in 0..<count {
        try player.take(
          "planned",
          ["medicine": .string("\(number)"), "schedule": plan])
      }
      let meter = WorkMeter()
      try Work.$meter.withValue(meter) {
        player.jump(to: try utc("2026-03-02 08:00"))
        player.jump(to: try utc("2026-03-02 20:00"))
      }
      #expect(player.entries.count == 2 * count)
      return meter.total
    }

    @Test func `H6: 64 plans cost four times as much as 16`() throws {
      let (few, many) = (try Self.work(EntityPlan.plansMax / 4), try Self.work(EntityPlan.plansMax))
      #expect(few > 0)
      #expect(Double(many) <= Self.growth * Double(few), "\(few), \(many)")
    }

    /// Of the 64 exceptions, every second date after the first one is excepted.
    @Test func `H6: 64 plans with all their changes cost half as much more as without`() throws {
      let first = try #require(LocalDate("2026-03-02"))
      let dates = (1...EntityPlan.changesMax).map { JSONValue.string("\(first + 2 * $0 - 1)") }
      let further = (1...EntityPlan.changesMax).map { JSONValue.string("\(first + $0)T12:00") }
      let plan: JSONValue = [
        "times": ["08:00", "20:00"], "except": .array(dates), "also": .array(further),
      ]
      let plain = try Self.work(EntityPlan.plansMax)
      let changed = try Self.work(EntityPlan.plansMax, plan)
      #expect(Double(changed) <= 1.5 * Double(plain), "\(plain), \(changed)")
    }

    @Test(arguments: [
      ("FREQ=DAILY;BYMONTH=1", "2027-01-01"), ("FREQ=DAILY;INTERVAL=3;BYMONTH=1,2", "2027-01-03"),
      ("FREQ=WEEKLY;BYMONTH=1", "2027-01-04"), ("FREQ=WEEKLY;BYDAY=SU;BYMONTH=1", "2027-01-03"),
    ])
    func `H6: a rule of days or weeks skips the other months`(rule: String, next: String) throws {
      let plan = try PlanReader(
        ["times": ["08:00"], "from": "2026-01-05", "rule": .string(rule)], "data.plan"
      ).plan(nil)
      let (meter, start) = (WorkMeter(), try #require(LocalDate("2026-03-01")))
      Work.$meter.withValue(meter) {
        #expect(plan.firstDate(from: start) == LocalDate(next))
      }
      #expect(meter.total <= 3)
    }
  }
#endif
