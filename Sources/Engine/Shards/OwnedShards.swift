import Store

/// The shards that the engine owns, and those that it is about to give back.
struct OwnedShards {
  /// Shards that are given back when no delivery for them is in flight.
  struct Departure {
    let shards: Set<Int>
    /// The recipients of the shards.
    let rows: Set<UInt32>
    /// The numbers of the lanes with deliveries to them in flight.
    let lanes: Set<Int>
    /// The answers to callers that wait for the release.
    var answers: [Answer<Void>]
  }

  /// The shards whose events are ingested and whose reminders fire.
  private(set) var ownership: Ownership
  var departures: [Departure] = []

  init(_ ownership: Ownership) {
    self.ownership = ownership
  }

  mutating func add(_ shards: Set<Int>) {
    if case .shards(let own) = ownership { ownership = .shards(own.union(shards)) }
  }

  mutating func remove(_ shards: Set<Int>) {
    if case .shards(let own) = ownership { ownership = .shards(own.subtracting(shards)) }
  }
}

extension ServiceUnavailable {
  /// The recipient belongs to another node.
  package init(elsewhere shard: Int) {
    self.init(
      .elsewhere,
      "another node owns this recipient (shard \(shard)), or the recipient is moving between "
        + "nodes; try again soon")
  }

  static let untrusted = ServiceUnavailable(
    .elsewhere,
    "this node cannot confirm its membership in the fleet, and another may own its shards; try "
      + "again soon")
}
