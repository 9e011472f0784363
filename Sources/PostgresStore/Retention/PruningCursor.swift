import Postgres

/// The position where a step of pruning begins.
///
/// With several nodes, row numbers ascend with time only within a shard, so each shard is pruned
/// separately. For callers, shard and row are one number.
struct PruningCursor {
  /// The factor for shard numbers in a position. Row numbers are smaller than this factor, and the
  /// positions in all shards fit into 64 bits.
  private static let shardUnit = Int64(1) << 52

  /// The shard; nil if all shards are pruned together.
  let shard: Int64?
  /// The row after which the step begins.
  let row: Int64
  /// The shards to prune one after the other, in order; empty if all are pruned together.
  private let shards: [Int64]

  /// - Parameters:
  ///   - cursor: the result of `next` in the previous step; 0 for the first step. If its shard is
  ///     no longer among `shards`, the step begins with the next shard; after the last, with the
  ///     first.
  ///   - shards: the shards to prune one after the other; empty to prune all together.
  init(_ cursor: Int64, among shards: [Int64]) {
    self.shards = shards.sorted()
    guard let first = self.shards.first else {
      (shard, row) = (nil, cursor)
      return
    }
    let firstShard = cursor / Self.shardUnit
    let next = self.shards.first { $0 >= firstShard } ?? first
    (shard, row) = (next, next == firstShard ? cursor % Self.shardUnit : 0)
  }

  /// Returns the position of the next step; nil after the last.
  ///
  /// - Parameter row: the row to continue after; nil when no other rows of this shard are old
  ///   enough.
  func next(_ row: Int64?) -> Int64? {
    guard let shard else { return row }
    if let row { return shard * Self.shardUnit + row }
    return shards.first { $0 > shard }.map { $0 * Self.shardUnit }
  }

  /// Returns the parameters of a step's statement: $1 is the row, $2 the limit, and $3 the shard if
  /// there is one.
  func parameters(_ limit: Int) -> [PostgresParameter] {
    [.integer(row), .integer(limit)] + (shard.map { [.integer($0)] } ?? [])
  }

  /// Returns an SQL condition: the column equals the shard, or "true" if there is none.
  ///
  /// - Parameter parameter: the number of the statement's parameter that holds the shard.
  func shardCondition(_ column: String, _ parameter: Int) -> String {
    shard == nil ? "true" : "\(column) = $\(parameter)"
  }
}
