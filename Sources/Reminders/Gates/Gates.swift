package import CivilTime

/// The gates: pure, and asked the same way when an occurrence is planned, when it fires, and when
/// its fate is explained (rule V7).
package enum Gates {
  /// Finds the earliest instant from `start` on that passes every gate (rule V2).
  ///
  /// Each hold ends at the first instant at which its gate opens, so no feasible instant is passed
  /// over.
  ///
  /// - Parameter observe: told of each finding of each round, for those who explain.
  /// - Complexity: one pass over the gates for each window that holds; no allocation.
  @inline(__always)
  package static func decide(
    _ input: GateInput, from start: Instant,
    observe: (Instant, Gate, Finding) -> Void = { _, _, _ in }
  ) -> Decision {
    var trace = GateTrace()
    var instant = start
    while true {
      let round = ask(input, at: instant, trace: &trace, observe: observe)
      if round.isDropped { return Decision(outcome: .dropped, at: instant, trace: trace) }
      guard let until = round.until else {
        return Decision(
          outcome: .delivered, at: instant, trace: trace, isSilent: round.isSilent)
      }
      instant = until
    }
  }

  private struct Round {
    var until: Instant?
    var isDropped = false
    var isSilent = false
  }

  @inline(__always)
  private static func ask(
    _ input: GateInput, at instant: Instant, trace: inout GateTrace,
    observe: (Instant, Gate, Finding) -> Void
  ) -> Round {
    var round = Round()
    func note(_ gate: Gate) {
      let finding = finding(gate, input, at: instant)
      trace.note(gate, finding)
      observe(instant, gate, finding)
      switch finding {
      case .passes: break
      case .silences: round.isSilent = true
      case .holds(let until): round.until = max(round.until ?? until, until)
      case .drops: round.isDropped = true
      }
    }
    let isCollected = input.collection != nil
    for gate in isCollected ? Gate.unconditionalForCollected : Gate.unconditional { note(gate) }
    guard round.until == nil, !round.isDropped else { return round }
    for gate in Gate.slots { note(gate) }
    return round
  }
}

/// What the gates came to for one occurrence.
package struct Decision: Hashable, Sendable {
  package var outcome: Outcome
  /// When it goes out; of a drop, the instant at which it became hopeless.
  package var at: Instant
  package var trace: GateTrace
  /// Whether it is to make no sound.
  package var isSilent = false
}

/// What became of an occurrence. Raw values are stored: never renumber.
package enum Outcome: UInt8, Sendable {
  case delivered = 1
  case dropped = 2
  /// Delivered as part of a digest, which is a notification of its own (rule V6).
  case bundled = 3

  package var name: String {
    switch self {
    case .delivered: "delivered"
    case .dropped: "dropped"
    case .bundled: "bundled"
    }
  }
}
