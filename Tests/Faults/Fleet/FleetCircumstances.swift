import CivilTime
import Fleet
import TestSupport

/// The properties of one simulated fleet and its faults.
struct FleetCircumstances {
  enum Course {
    /// Only long engine cycles, and nodes that join one after another.
    case calm
    /// One process dies.
    case death
    /// One process hangs.
    case hang
    /// One node is drained.
    case drain
    /// All faults.
    case storm
  }

  let course: Course
  let nodes: Int
  let shards: Int
  let lease: TimeSpan
  /// Whether all nodes have the same name, as after copying a machine.
  let isNameShared: Bool
  let events: Int
  let faults: Int
  /// The kinds of faults. Faults of a few kinds coincide more often than faults of all kinds.
  let kinds: [FleetFault]

  init(_ random: inout SplitMix64) {
    course = random.pick([.calm, .death, .hang, .drain, .storm, .storm, .storm, .storm])
    nodes = random.int(in: course == .storm ? 1..<5 : 2..<5)
    shards = random.pick([4, 8, 16])
    lease = .seconds(random.pick([3, 5, 8]))
    // A node is drained by its name, so names must differ.
    isNameShared = random.isOne(of: 3) && course != .drain
    events = random.int(in: 60..<200)
    faults = random.int(in: 3..<16)
    let count = random.int(in: 1..<6)
    let all = FleetFault.allCases.shuffled(using: &random)
    kinds = random.isOne(of: 4) ? all : Array(all.prefix(count))
  }
}
