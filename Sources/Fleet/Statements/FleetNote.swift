package import CivilTime

/// An event in a node's life, for operators.
package enum FleetNote: Hashable, Sendable, CustomStringConvertible {
  case joined(Incarnation)
  /// The node joins again as a new incarnation.
  case rejoins(NewStartReason)
  /// The node's trust has ended.
  case distrusts
  /// A heartbeat has given the node trust again.
  case trustsAgain
  /// The node has evicted another.
  case evicted(Incarnation, EvictionReason)
  /// The node has claimed this number of shards.
  case claimed(Int)
  /// The node has given a shard away.
  case gaveAway(shard: Int)
  /// The node has no shards left.
  case drained
  /// The degree of the skew has changed; the span is how far the node's clock is ahead.
  case skewed(TimeSpan, Skew.Degree)

  package var description: String {
    switch self {
    case .joined(let node): "joined the fleet as node \(node)"
    case .rejoins(let reason): "joins again as another node: \(reason.words)"
    case .distrusts:
      "PostgreSQL has not answered in time: events are rejected and nothing is sent until it does"
    case .trustsAgain: "PostgreSQL answers again"
    case .evicted(let node, let reason): "took node \(node) out of the fleet: \(reason.words)"
    case .claimed(let count): "took over \(count) \(count == 1 ? "shard" : "shards")"
    case .gaveAway(let shard): "gave shard \(shard) away"
    case .drained: "has no shards left and may be stopped"
    case .skewed(_, .none): "the clock agrees with PostgreSQL's again"
    case .skewed(let lead, .warned):
      "the clock is \(Self.words(lead)) PostgreSQL's: check time synchronization"
    case .skewed(let lead, .severe):
      """
      the clock is \(Self.words(lead)) PostgreSQL's: its shards go to nodes whose clocks are \
      right, until this clock is corrected; check time synchronization on both machines
      """
    }
  }

  private static func words(_ lead: TimeSpan) -> String {
    lead < .zero ? "\(-lead) behind" : "\(lead) ahead of"
  }
}

extension NewStartReason {
  fileprivate var words: String {
    switch self {
    case .connectionLost: "the connection to PostgreSQL has ended"
    case .serverSilent:
      """
      PostgreSQL keeps the connection open and has not answered in time; check whether the server \
      hangs, or a device in between drops packets
      """
    case .pooled:
      """
      another session of PostgreSQL has answered: a pooler is in front of the server; give the \
      address of the server itself
      """
    case .fenced: "other nodes took over, because it sent no heartbeat for a lease"
    case .holdingsDiffer: "the store assigns other shards to it"
    case .engineFailed: "its memory may differ from the store"
    }
  }
}

extension EvictionReason {
  fileprivate var words: String {
    switch self {
    case .gone: "its session has ended"
    case .silent: "it has sent no heartbeat for a lease"
    case .own: "it was this service, before it joined again"
    }
  }
}
