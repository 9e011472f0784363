/// The shards that a node has.
struct Holdings: Hashable, Sendable {
  private enum Stage: Hashable {
    case held
    /// The engine is to let go of it when nothing of it is due or with a sink.
    case leaving
    /// The engine has let go of it.
    case left
  }

  private var stages: [Tenure: Stage] = [:]

  /// All that the store says are this node's.
  var tenures: Set<Tenure> { Set(stages.keys) }

  var count: Int { stages.count }

  /// Those of which none is to go yet.
  var held: [Tenure] { stages.filter { $0.value == .held }.map(\.key) }

  /// Whether one is on its way out; there is never more than one.
  var isGivingAway: Bool { stages.values.contains { $0 != .held } }

  /// What nobody here has in memory any more.
  var left: Tenure? { stages.first { $0.value == .left }?.key }

  mutating func take(_ tenures: [Tenure]) {
    for tenure in tenures { stages[tenure] = .held }
  }

  mutating func beginToLeave(_ tenure: Tenure) { stages[tenure] = .leaving }

  mutating func engineLeft(_ tenure: Tenure) {
    if stages[tenure] == .leaving { stages[tenure] = .left }
  }

  mutating func remove(_ tenure: Tenure) { stages[tenure] = nil }
}
