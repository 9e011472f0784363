import Reminders
import Testing

/// Rule V1: all verdicts are recorded.
@Suite struct GateTraceTests {
  @Test func `an empty trace has no reasons`() {
    let trace = GateTrace()
    #expect(trace.isClear)
    #expect(trace.reasons.isEmpty)
    #expect(Gate.allCases.allSatisfy { trace.word(for: $0) == nil })
  }

  @Test func `a pass is not a reason`() {
    var trace = GateTrace()
    for gate in Gate.allCases { trace.note(gate, .passes) }
    #expect(trace.isClear)
    #expect(trace.reasons.isEmpty)
    #expect(Gate.allCases.allSatisfy { trace.word(for: $0) == "passed" })
  }

  @Test(arguments: Gate.allCases)
  func `a later pass does not replace a hold`(gate: Gate) throws {
    var trace = GateTrace()
    trace.note(gate, .holds(until: try utc("2026-03-02 21:00")))
    trace.note(gate, .passes)
    #expect(trace.word(for: gate) == "held")
    #expect(trace.reasons == [gate.reason])
    #expect(!trace.isClear)
    trace.note(gate, .drops)
    trace.note(gate, .holds(until: try utc("2026-03-02 21:00")))
    #expect(trace.word(for: gate) == "dropped")
    #expect(Gate.allCases.filter { trace.word(for: $0) != nil } == [gate])
  }

  @Test func `reasons list the gates that held before the gates that dropped`() throws {
    var trace = GateTrace()
    trace.note(.expiry, .drops)
    trace.note(.master, .passes)
    trace.note(.quietHours, .holds(until: try utc("2026-03-02 21:00")))
    trace.note(.missed, .drops)
    #expect(trace.reasons == ["quiet_hours", "expired", "missed"])
  }

  @Test func `a sum of traces keeps the stronger verdict of each gate`() throws {
    let findings: [Finding?] = [nil, .passes, .holds(until: try utc("2026-03-02 21:00")), .drops]
    for gate in Gate.allCases {
      for (left, one) in findings.enumerated() {
        for (right, other) in findings.enumerated() {
          var sum = Self.trace(gate, one)
          sum.add(Self.trace(gate, other))
          #expect(sum == Self.trace(gate, findings[max(left, right)]))
        }
      }
    }
  }

  private static func trace(_ gate: Gate, _ finding: Finding?) -> GateTrace {
    var trace = GateTrace()
    if let finding { trace.note(gate, finding) }
    return trace
  }
}
