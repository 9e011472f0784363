import CivilTime
import Fleet
import TestSupport

/// What one fleet is like, and what befalls it.
struct FleetCircumstances {
  enum Course {
    /// Nothing but turns that take long, and nodes that join one after the other.
    case calm
    /// One process dies.
    case death
    /// One process stands still.
    case hang
    /// One gives everything away.
    case drain
    /// Everything.
    case storm
  }

  let course: Course
  let nodes: Int
  let shards: Int
  let lease: TimeSpan
  /// Whether all nodes have one name: somebody has copied a machine.
  let isNameShared: Bool
  let events: Int
  let faults: Int
  /// Which faults there are: a few kinds at a time meet more often than all at once.
  let kinds: [FleetFault]

  init(_ random: inout SplitMix64) {
    course = random.pick([.calm, .death, .hang, .drain, .storm, .storm, .storm, .storm])
    nodes = random.int(in: course == .storm ? 1..<5 : 2..<5)
    shards = random.pick([4, 8, 16])
    lease = .seconds(random.pick([3, 5, 8]))
    // Who is drained is known by its name.
    isNameShared = random.isOne(of: 3) && course != .drain
    events = random.int(in: 60..<200)
    faults = random.int(in: 3..<16)
    let count = random.int(in: 1..<6)
    let all = FleetFault.allCases.shuffled(using: &random)
    kinds = random.isOne(of: 4) ? all : Array(all.prefix(count))
  }
}
