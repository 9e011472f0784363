import Postgres

/// Where a step of pruning begins.
///
/// With several nodes only the rows of one shard are in the order of time by their numbers, so each
/// shard is gone through by itself. The port knows a place as one number.
struct PruningPlace {
  /// A number of a row has fewer bits; as many shards as there may be have room.
  private static let shardUnit = Int64(1) << 52

  /// Nil where all shards are gone through at once.
  let shard: Int64?
  /// The row to begin behind.
  let row: Int64
  private let shards: [Int64]

  /// - Parameter shards: those that are gone through, one after the other; none if all at once.
  init(_ place: Int64, among shards: [Int64]) {
    self.shards = shards.sorted()
    guard let first = self.shards.first else {
      (shard, row) = (nil, place)
      return
    }
    let wanted = place / Self.shardUnit
    let next = self.shards.first { $0 >= wanted } ?? first
    (shard, row) = (next, next == wanted ? place % Self.shardUnit : 0)
  }

  /// Where the next step begins; nil after the last.
  ///
  /// - Parameter row: the one to go on behind; nil when nothing more of this shard is old enough.
  func next(_ row: Int64?) -> Int64? {
    guard let shard else { return row }
    if let row { return shard * Self.shardUnit + row }
    return shards.first { $0 > shard }.map { $0 * Self.shardUnit }
  }

  /// $1 and $2 of a step's statement, and the shard.
  func parameters(_ limit: Int) -> [PostgresParameter] {
    [.integer(row), .integer(limit)] + (shard.map { [.integer($0)] } ?? [])
  }

  /// That a column is the shard's, as a condition.
  func isWithin(_ column: String, _ parameter: Int) -> String {
    shard == nil ? "true" : "\(column) = $\(parameter)"
  }
}
