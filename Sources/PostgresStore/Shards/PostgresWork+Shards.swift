import CivilTime
import Postgres
import Reminders
import Store

/// Acquiring and releasing shards.
extension PostgresWork {
  func acquire(_ shards: Set<Int>, plan: String, now: Instant) throws -> Acquisition {
    var acquisition = Acquisition()
    let wanted = shards.map { Int64($0) }.filter { self.shards.epochs[$0] == nil }
    guard node.isFleet, !wanted.isEmpty else { return acquisition }
    try query(ShardStatements.owned, [.integers(wanted), .integer(node.incarnation)]) { row in
      let shard = row.integer(0)
      self.shards.add(shard, epoch: row.integer(1))
      acquisition.shards.insert(Int(shard))
      if row.text(2) != plan { acquisition.stale.insert(Int(shard)) }
    }
    guard !acquisition.shards.isEmpty else { return acquisition }
    hasWritten = true
    try takeOver(&acquisition, now: now)
    return acquisition
  }

  /// Makes this node the keeper of the acquired shards (the node whose lanes track their
  /// deliveries). Turns the deliveries that the last owners left into retries.
  private func takeOver(_ acquisition: inout Acquisition, now: Instant) throws {
    let shards = PostgresParameter.integers(acquisition.shards.map { Int64($0) })
    try write(ShardStatements.lockKeepers, [shards])
    try write(ShardStatements.forgetCrashes, [shards])
    try query(ShardStatements.crashed, [shards]) { acquisition.crashed.insert(Int($0.integer(0))) }
    var orphans: [String: Int] = [:]
    try query(ShardStatements.releaseHeldRetries, [shards]) {
      orphans[$0.text(0)] = Int($0.integer(1))
    }
    try query(ShardStatements.insertOrphans, [shards, .integer(now.milliseconds)]) { row in
      orphans[row.text(0), default: 0] += Int(row.integer(1))
    }
    acquisition.orphans = orphans
    // The new blocks are above all numbers that the last owner assigned.
    for block in [\NumberBlocks.event, \.notification] { try begin(block) }
    try write(
      ShardStatements.setKeeper,
      [shards, .integer(node.lanes), .integer(numbers.notification.next)])
    for statement in ShardStatements.removeDataOfGoneNodes { try write(statement) }
    try query("SELECT EXISTS (SELECT 1 FROM tombstone)") { self.hasTombstones = $0.integer(0) != 0 }
  }

  func forEachSchedule(of shards: Set<Int>, _ body: (UInt32, Schedule) -> Void) throws {
    try query(
      """
      SELECT recipient, due, pending FROM schedule WHERE shard = ANY($1) ORDER BY recipient
      """, [.integers(shards.map { Int64($0) })]
    ) { row in
      let schedule = Schedule(due: row.instant(1), pending: Int(row.integer(2)))
      body(UInt32(truncatingIfNeeded: row.integer(0)), schedule)
    }
  }

  func retire(_ shards: Set<Int>, behind cursors: [String: Int64], now: Instant) throws {
    guard node.isFleet else { return }
    let ownShards = shards.map { Int64($0) }.filter { self.shards.epochs[$0] != nil }
    self.writtenShards.formUnion(ownShards)
    try write(
      ShardStatements.retire,
      [
        .integers(ownShards), .texts(cursors.keys), .integers(cursors.values),
        .integer(now.milliseconds), .integer(node.incarnation),
      ])
    try write(ShardStatements.detach, [.integers(ownShards)])
    self.shards.retire(ownShards)
  }

  func release(_ shards: Set<Int>) throws {
    guard node.isFleet else { return }
    let ownShards = shards.map { Int64($0) }.filter { self.shards.epochs[$0] != nil }
    let parameters: [PostgresParameter] = [.integers(ownShards), .integer(node.incarnation)]
    try write(ShardStatements.forgetAnswered, parameters)
    try write(ShardStatements.removeKeeper, parameters)
    self.shards.remove(ownShards)
    writtenShards.subtract(ownShards)
  }

  func plan() throws -> String? {
    let plans = try rows("SELECT DISTINCT plan FROM shard LIMIT 2") { $0.text(0) }
    return plans.count == 1 ? plans[0] : nil
  }

  func save(plan: String) throws {
    try write(
      "UPDATE shard SET plan = $1 WHERE \(ShardStatements.isTakenOver(by: node))", [.text(plan)])
  }

  // MARK: - Ownership

  /// Returns the shard of a recipient that is about to be written, and registers it for
  /// `guardShards`.
  ///
  /// - Throws: `notOwner` if the shard is another node's.
  func owned(_ recipient: String) throws -> Int64 {
    let shard = node.hash.shard(of: recipient)
    guard node.isFleet, writtenShards.insert(shard).inserted else { return shard }
    guard shards.epochs[shard] != nil else {
      throw StoreError.notOwner(reason: "shard \(shard) is not this node's")
    }
    return shard
  }

  /// Makes the server check before the commit that this node owns the written shards.
  func guardShards() throws {
    guard node.isFleet, hasWritten, !writtenShards.isEmpty else { return }
    let epochs = writtenShards.map { shards.epochs[$0] ?? -1 }
    try write(
      "SELECT guard($1, $2, $3)",
      [.integer(node.incarnation), .integers(writtenShards), .integers(epochs)])
  }

  /// Makes the server check that this node owns the shards of these notifications. The caller knows
  /// only the numbers of the notifications.
  func guardNotifications(_ numbers: some Sequence<Int64>) throws {
    guard node.isFleet else { return }
    try write(
      "SELECT guard_notifications($1, $2)", [.integer(node.incarnation), .integers(numbers)])
  }

  /// A join of `shard` as `s` that selects only those notifications `n` that are in this node's
  /// lanes.
  var ownNotification: String {
    "JOIN shard s ON s.shard = n.shard AND \(ShardStatements.isTakenOver(by: node, "s.")) "
      + "AND n.id >= s.start"
  }

  /// Returns a condition: the column contains one of this node's shards.
  func isOwn(_ column: String) -> String {
    guard node.isFleet else { return "true" }
    let condition = ShardStatements.isTakenOver(by: node, "o.")
    return "\(column) IN (SELECT o.shard FROM shard o WHERE \(condition))"
  }
}
