import CivilTime
import Fleet
import TestSupport

/// The properties of one simulated fleet and its faults.
struct FleetCircumstances {
  enum Scenario {
    /// There are no faults except long engine cycles. The nodes join one after another.
    case calm
    /// One process dies.
    case death
    /// One process hangs.
    case hang
    /// One node is drained.
    case drain
    /// There are many faults, of the chosen kinds.
    case storm
  }

  let scenario: Scenario
  let nodeCount: Int
  let shardCount: Int
  let lease: TimeSpan
  /// Whether all nodes have the same name, as after copying a machine.
  let isNameShared: Bool
  let eventCount: Int
  let faultCount: Int
  /// The kinds of faults. Faults of a few kinds coincide more often than faults of all kinds.
  let faultKinds: [FleetFault]

  init(_ random: inout SplitMix64) {
    scenario = random.pick([.calm, .death, .hang, .drain, .storm, .storm, .storm, .storm])
    nodeCount = random.int(in: scenario == .storm ? 1..<5 : 2..<5)
    shardCount = random.pick([4, 8, 16])
    lease = .seconds(random.pick([3, 5, 8]))
    // A node is drained by its name, so names must differ.
    isNameShared = random.isOne(of: 3) && scenario != .drain
    eventCount = random.int(in: 60..<200)
    faultCount = random.int(in: 3..<16)
    let kindCount = random.int(in: 1..<6)
    let allKinds = FleetFault.allCases.shuffled(using: &random)
    faultKinds = random.isOne(of: 4) ? allKinds : Array(allKinds.prefix(kindCount))
  }
}
