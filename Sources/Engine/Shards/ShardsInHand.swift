package import Store

/// What of the store is the engine's, and what it is about to give back.
struct ShardsInHand {
  /// Shards that go when no sink has anything of theirs any more.
  struct Departure {
    let shards: Set<Int>
    /// The recipients.
    let rows: Set<UInt32>
    /// The numbers of the lanes whose sinks have something for them.
    let lanes: Set<Int>
    /// Of those who wait for it.
    var answers: [Answer<Void>]
  }

  /// Whose events are taken in, and whose reminders fire.
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
  /// Another node is to be asked.
  package init(elsewhere shard: Int) {
    self.init(
      .elsewhere,
      "this recipient is another node's (shard \(shard)), or is just changing nodes; try again soon"
    )
  }

  static let untrusted = ServiceUnavailable(
    .elsewhere,
    "this node has lost touch with the database, and another may have taken its place; try again "
      + "soon")
}
