import CivilTime
import Fleet
import PostgresStore

@testable import FleetService

/// The server of a fleet with one node. It answers each statement at once, unless its condition is
/// one that prevents this.
final class FakeServer {
  enum Condition {
    case healthy
    /// The server keeps connections open and does not answer.
    case silent
    /// The server refuses connections.
    case away
    /// The server ends the connection at the next statement.
    case cutting
    /// The server rolls back each statement.
    case refusing
  }

  static let shards = 4

  var condition = Condition.healthy
  private(set) var members: Set<Incarnation> = []
  private(set) var evicted: [Incarnation] = []
  /// The time of the last join or heartbeat that the server has answered. Trust counts from it.
  private(set) var lastBeat = TimeSpan.zero
  /// The time at which the last unanswered statement was sent.
  private(set) var lastUnanswered = TimeSpan.zero
  private var owners = [Incarnation?](repeating: nil, count: shards)
  private let clock: VirtualClock

  init(_ clock: VirtualClock) {
    self.clock = clock
  }

  /// - Parameter wait: advances the time by the maximum duration of an answer.
  func outcome(of statement: FleetStatement, wait: () -> Void) -> MembershipOutcome {
    switch condition {
    case .healthy, .away: return .answered(answer(to: statement))
    case .cutting:
      condition = .healthy
      return .lost(reason: "it was cut")
    case .refusing: return .refused(reason: "a table is locked")
    case .silent:
      lastUnanswered = clock.now
      wait()
      return .silent(reason: "it says nothing")
    }
  }

  private func answer(to statement: FleetStatement) -> FleetAnswer {
    switch statement {
    case .join(let node, _, _):
      members.insert(node)
      lastBeat = clock.now
      return .joined(database: clock.wall)
    case .heartbeat(let node, _, _):
      lastBeat = clock.now
      return .heartbeat(isMember: members.contains(node), database: clock.wall)
    case .look: return .view(view)
    case .evict(let node, _, _):
      remove(node)
      evicted.append(node)
      return .evicted(true)
    case .claim(let node, let requested, let limit):
      let claimed = requested.filter { owners[$0] == nil }.prefix(limit)
      for shard in claimed { owners[shard] = node }
      return .claimed(claimed.map { Tenure(shard: $0, epoch: 0) })
    case .release(_, let tenure):
      owners[tenure.shard] = nil
      return .released(true)
    case .resign(let node):
      remove(node)
      return .resigned
    }
  }

  private func remove(_ node: Incarnation) {
    members.remove(node)
    owners = owners.map { $0 == node ? nil : $0 }
  }

  private var view: FleetView {
    let nodes = members.map { node in
      FleetView.Node(
        incarnation: node, name: "north", heartbeat: clock.wall, isDraining: false,
        isFenced: false, isConnected: true, address: "", isDrainRequested: false)
    }
    let shards = owners.enumerated().map { shard, owner in
      FleetView.Shard(tenure: Tenure(shard: shard, epoch: 0), owner: owner)
    }
    return FleetView(now: clock.wall, nodes: nodes, shards: shards)
  }
}
