import CivilTime
import Testing

@testable import Fleet

/// A node in a fleet that a test describes. Times are milliseconds since the machine was booted.
struct FleetStage {
  static let me = Incarnation(1)
  static let other = Incarnation(2)
  static let third = Incarnation(3)
  /// The server's clock when the machine was booted.
  static let start = Instant(milliseconds: 1_772_409_600_000)

  var node: FleetNode
  private(set) var now = 0
  /// The number of milliseconds by which the node's clock is ahead of the server's clock; negative
  /// if it is behind.
  var lead = 0

  init(_ times: FleetTimes = FleetTimes(lease: .seconds(5))) {
    node = FleetNode(name: "north", times)
    _ = node.connected(as: Self.me)
    _ = node.answered(.joined(database: Self.start), from: moment(0), to: moment(0))
  }

  func moment(_ milliseconds: Int) -> Moment {
    Moment(
      sinceBoot: .milliseconds(milliseconds), wall: Self.start + .milliseconds(milliseconds + lead))
  }

  /// Advances the time to an instant. Each answer takes a millisecond. Where `answering` returns
  /// nil, the statement succeeds, and a look returns `view`.
  ///
  /// - Returns: the node's actions.
  mutating func run(
    until end: Int, seeing view: (Int) -> FleetView,
    answering: (FleetStatement) -> FleetAnswer? = { _ in nil }
  ) -> [FleetAction] {
    var actions: [FleetAction] = []
    while now < end {
      now += 1
      guard let statement = node.inProgress else {
        actions += node.tick(at: moment(now))
        continue
      }
      let answer = answering(statement) ?? defaultAnswer(statement, view)
      actions += node.answered(answer, from: moment(now - 1), to: moment(now))
    }
    return actions
  }

  private func defaultAnswer(_ statement: FleetStatement, _ view: (Int) -> FleetView) -> FleetAnswer
  {
    switch statement {
    case .join: .joined(database: Self.start + .milliseconds(now))
    case .heartbeat: .heartbeat(isMember: true, database: Self.start + .milliseconds(now))
    case .look: .view(view(now))
    case .evict: .evicted(true)
    case .claim(_, let shards, let limit):
      .claimed(shards.prefix(limit).map { Tenure(shard: $0, epoch: 0) })
    case .release: .released(true)
    case .resign: .resigned
    }
  }

  // MARK: - Views

  static func nodeView(
    _ node: Incarnation, heartbeat: Int, isDraining: Bool = false, isFenced: Bool = false,
    isConnected: Bool = true, isDrainRequested: Bool = false
  ) -> FleetView.Node {
    FleetView.Node(
      incarnation: node, name: "\(node)", heartbeat: start + .milliseconds(heartbeat),
      isDraining: isDraining, isFenced: isFenced, isConnected: isConnected,
      isDrainRequested: isDrainRequested)
  }

  /// - Parameter owners: the owner of each shard in order; 0 for none.
  static func view(at now: Int, _ nodes: [FleetView.Node], owners: [Int64]) -> FleetView {
    let shards = owners.enumerated().map { shard, owner in
      FleetView.Shard(
        tenure: Tenure(shard: shard, epoch: 0), owner: owner == 0 ? nil : Incarnation(owner))
    }
    return FleetView(now: start + .milliseconds(now), nodes: nodes, shards: shards)
  }
}

extension [FleetAction] {
  var statements: [FleetStatement] {
    compactMap { if case .send(let statement) = $0 { statement } else { nil } }
  }

  var evictions: [Incarnation] {
    statements.compactMap { if case .evict(let node, _, _) = $0 { node } else { nil } }
  }

  var claims: [(shards: [Int], limit: Int)] {
    statements.compactMap { statement in
      if case .claim(_, let shards, let limit) = statement { (shards, limit) } else { nil }
    }
  }

  var releases: [Tenure] {
    compactMap { if case .release(let tenure) = $0 { tenure } else { nil } }
  }

  var rejoins: Bool {
    contains(.discard) && contains { if case .connect = $0 { true } else { false } }
  }
}

extension FleetAction {
  func acquires(_ tenures: [Tenure]) -> Bool {
    if case .acquire(let acquired) = self { Set(acquired) == Set(tenures) } else { false }
  }
}
