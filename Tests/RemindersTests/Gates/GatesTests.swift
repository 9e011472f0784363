import CivilTime
import JSON
import Reminders
import Testing

/// Rules V1 to V3, tested on the gates alone.
@Suite struct GatesTests {
  @Test func `V1: every gate is evaluated in order, even after one that holds or drops`() throws {
    var input = try Self.input()
    input.isMasterOn = false
    input.isCategoryOn = false
    var evaluatedGates: [Gate] = []
    let decision = Gates.decide(input, from: input.planned) { _, gate, _ in
      evaluatedGates.append(gate)
    }
    #expect(evaluatedGates == Gate.unconditional)
    #expect(decision.outcome == .dropped)
    #expect(decision.trace.reasons == ["quiet_hours", "master", "category"])
  }

  @Test func `V2: the gates are evaluated again at the end of a hold`() throws {
    let input = try Self.input()
    var rounds: [Instant] = []
    let decision = Gates.decide(input, from: input.planned) { instant, gate, _ in
      if gate == .expiry { rounds.append(instant) }
    }
    #expect(try rounds == [utc("2026-03-02 21:00"), utc("2026-03-02 22:00")])
    #expect(try decision.at == utc("2026-03-02 22:00"))
    #expect(decision.outcome == .delivered)
    #expect(decision.trace.reasons == ["quiet_hours"])
  }

  @Test(arguments: [(59, Outcome.dropped), (60, .delivered)])
  func `V2: an occurrence may be delivered up to its expiry`(
    minutes: Int, outcome: Outcome
  ) throws {
    var input = try Self.input()
    input.expires = .minutes(minutes)
    let decision = Gates.decide(input, from: input.planned)
    #expect(decision.outcome == outcome)
    #expect(decision.trace.reasons == ["quiet_hours"] + (outcome == .dropped ? ["expired"] : []))
  }

  @Test func `V3: an interactive occurrence passes quiet hours`() throws {
    var input = try Self.input()
    input.isInteractive = true
    let decision = Gates.decide(input, from: input.planned)
    #expect(decision.at == input.planned)
    #expect(decision.trace.isClear)
  }

  @Test(arguments: Urgency.allCases, [true, false])
  func `V3: mandatory occurrences, and critical ones if allowed, pass quiet hours`(
    urgency: Urgency, allowsCritical: Bool
  ) throws {
    var input = try Self.input()
    input.urgency = urgency
    input.quietHours.allowsCritical = allowsCritical
    let passes = urgency == .mandatory || urgency == .critical && allowsCritical
    let finding = Gates.finding(.quietHours, input, at: input.planned)
    #expect(try finding == (passes ? .passes : .holds(until: utc("2026-03-02 22:00"))))
  }

  @Test(arguments: Urgency.allCases)
  func `V3: only mandatory occurrences pass the switches`(urgency: Urgency) throws {
    var input = try Self.input()
    input.urgency = urgency
    input.isMasterOn = false
    input.isCategoryOn = false
    let expected = urgency == .mandatory ? Finding.passes : .drops
    #expect(Gates.finding(.master, input, at: input.planned) == expected)
    #expect(Gates.finding(.category, input, at: input.planned) == expected)
  }

  /// Returns the input for an occurrence that is planned at 21:00 and expires after 12 hours, with
  /// quiet hours from 20:00 to 22:00.
  private static func input() throws -> GateInput {
    var player = Player(
      planner: try Fixtures.planner(catalog: Fixtures.noteCatalog(at: "21:00")),
      now: try utc("2026-03-02 09:00"))
    try player.take(
      "preferences.updated",
      ["quietHours": ["enabled": true, "start": "20:00", "end": "22:00"]])
    let context = PlanningContext(facts: player.recipient.facts, planner: player.planner)
    let reminder = try #require(context.catalog.reminder(Symbol("note")))
    return context.gateInput(
      reminder, key: 0, planned: try utc("2026-03-02 21:00"), channelGroup: .interrupting,
      countedDeliveries: [])
  }
}
