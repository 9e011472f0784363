package import CivilTime

/// The findings of all gates for one occurrence, over all instants of evaluation (rule V1). The
/// lower half has two bits for each gate: not evaluated, passed, held or dropped. The upper half
/// has the number of consecutive missed occurrences that are recorded as one.
package struct GateTrace: Hashable, Sendable {
  package var rawValue: UInt64

  package init(rawValue: UInt64 = 0) {
    self.rawValue = rawValue
  }

  /// The number of consecutive occurrences that the trace covers. It is above 1 only for a run of
  /// missed occurrences (rule T7).
  package var runLength: Int {
    get { max(1, Int(rawValue >> 32)) }
    set { rawValue = rawValue & Self.findingsMask | UInt64(max(0, newValue)) << 32 }
  }

  private static let findingsMask: UInt64 = 0xffff_ffff

  /// Records a finding. A recorded hold or drop stays when the gate passes later.
  package mutating func note(_ gate: Gate, _ finding: Finding) {
    raise(gate, to: finding.rank)
  }

  /// Replaces an expiry by `missed`, for an occurrence that the service failed to fire in time
  /// (rule V15).
  mutating func replaceExpiry() {
    guard firstDrop == .expiry else { return }
    rawValue &= ~(3 << (2 * UInt64(Gate.expiry.rawValue)))
    note(.missed, .drops)
  }

  /// Adds the findings of another trace.
  package mutating func add(_ other: GateTrace) {
    // This is the fast path: at the first evaluation the trace is usually empty.
    guard rawValue != 0 else {
      rawValue = other.rawValue
      return
    }
    for gate in Gate.allCases { raise(gate, to: other.rank(gate)) }
    if other.runLength > runLength { runLength = other.runLength }
  }

  /// Returns whether this trace includes all findings of another trace. If so, the other one may be
  /// an earlier trace of the same occurrence.
  package func contains(_ other: GateTrace) -> Bool {
    var combined = self
    combined.add(other)
    return combined == self
  }

  /// Whether any gate has held the occurrence.
  package var hasHolds: Bool {
    Gate.allCases.contains { rank($0) == Self.held }
  }

  package func hasHeld(_ gate: Gate) -> Bool { rank(gate) == Self.held }
  package func hasDropped(_ gate: Gate) -> Bool { rank(gate) == Self.dropped }

  /// The first gate that dropped the occurrence.
  package var firstDrop: Gate? { Gate.allCases.first(where: hasDropped) }

  /// The names of the gates that held or dropped the occurrence: the holds in the order of the
  /// gates, then the drops.
  package var reasons: [String] {
    names { $0 == Self.held } + names { $0 == Self.dropped }
  }

  /// Whether no gate has held or dropped the occurrence.
  package var isClear: Bool {
    // The higher of a gate's two bits is set if the gate held or dropped the occurrence.
    rawValue & 0xaaaa_aaaa == 0
  }

  /// Returns the word for a gate's finding; nil if the gate was not evaluated.
  package func word(for gate: Gate) -> String? {
    switch rank(gate) {
    case 1: "passed"
    case Self.held: "held"
    case Self.dropped: "dropped"
    default: nil
    }
  }

  private static let held: UInt64 = 2
  private static let dropped: UInt64 = 3

  private func names(where isWanted: (UInt64) -> Bool) -> [String] {
    Gate.allCases.filter { isWanted(rank($0)) }.map(\.reason)
  }

  private func rank(_ gate: Gate) -> UInt64 {
    rawValue >> (2 * UInt64(gate.rawValue)) & 3
  }

  private mutating func raise(_ gate: Gate, to rank: UInt64) {
    guard rank > self.rank(gate) else { return }
    let shift = 2 * UInt64(gate.rawValue)
    rawValue = rawValue & ~(3 << shift) | rank << shift
  }
}

extension Finding {
  fileprivate var rank: UInt64 {
    switch self {
    case .passes, .silences: 1
    case .holds: 2
    case .drops: 3
    }
  }
}

/// The result of one gate at one instant.
package enum Finding: Hashable, Sendable {
  case passes
  /// The gate lets the occurrence pass without a sound (rule V3).
  case silences
  /// The gate holds the occurrence until an instant that is after the evaluation's instant.
  case holds(until: Instant)
  case drops
}
