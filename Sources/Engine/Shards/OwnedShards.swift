import Store

/// The shards that the engine owns, the deadline until which this is certain, and the shards that
/// it is about to give back.
final class OwnedShards {
  /// Shards that are given back when no delivery for them is in flight.
  struct Departure {
    let shards: Set<Int>
    /// The rows of the shards' recipients.
    let rows: Set<UInt32>
    /// The numbers of the lanes with deliveries to these recipients in flight.
    let lanes: Set<Int>
    /// The answers to callers that wait for the release.
    var answers: [Answer<Void>]
  }

  private let readers: any StoreSnapshots
  /// The shards whose events are ingested and whose reminders fire.
  private(set) var ownership: Ownership
  /// The shards that are about to be given back.
  var departures: [Departure] = []
  /// Until when the engine certainly owns its shards; nil without a fleet.
  var trust: TrustDeadline?

  init(_ store: any Store) {
    readers = store.readers
    ownership = store.ownership
  }

  /// Whether this node certainly owns its shards.
  var mayAct: Bool { trust?.holds ?? true }

  func add(_ shards: Set<Int>) {
    if case .shards(let owned) = ownership { ownership = .shards(owned.union(shards)) }
  }

  func remove(_ shards: Set<Int>) {
    if case .shards(let owned) = ownership { ownership = .shards(owned.subtracting(shards)) }
  }

  func shard(of recipient: String) -> Int { readers.shard(of: recipient) }

  /// The shard of a recipient that another node owns; nil if this node owns it.
  func foreignShard(of recipient: String) -> Int? {
    guard case .shards(let owned) = ownership else { return nil }
    let shard = shard(of: recipient)
    return owned.contains(shard) ? nil : shard
  }
}

extension ServiceUnavailable {
  /// Creates the error for a recipient of a shard that another node owns.
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
