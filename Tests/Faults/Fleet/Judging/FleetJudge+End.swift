import CivilTime
import Fleet

extension FleetJudge {
  /// Returns a finding for each expectation at the end of a simulation that is not yet met.
  func unmetExpectations(of client: ModelClient) -> [String] {
    guard let server else { return [] }
    let unserved = server.shards.indices.filter { shard in
      !processes.contains { $0.serves(shard) }
    }
    var unmet: [String] = []
    if !unserved.isEmpty { unmet.append("shards \(unserved) have no owner") }
    let unacknowledgedCount = client.unacknowledged.count
    if unacknowledgedCount > 0 { unmet.append("\(unacknowledgedCount) events are not ingested") }
    let undeliveredCount = server.rows.reduce(0) { $0 + $1.undecided.count + $1.open.count }
    if undeliveredCount > 0 { unmet.append("\(undeliveredCount) occurrences are not delivered") }
    return unmet
  }

  /// Returns findings about acknowledged events that are lost, or whose occurrences were not
  /// delivered as decided.
  func losses(of client: ModelClient) -> [String] {
    guard let server else { return [] }
    return client.acknowledged.values.sorted { $0.id < $1.id }.compactMap { event in
      let rows = server.rows[event.shard]
      guard rows.events.contains(event.id) else { return "invariant 8: event \(event.id) is lost" }
      let missing = event.occurrences.first { occurrence, _ in
        rows.delivered[occurrence] == nil || rows.delivered[occurrence] != deliveredIDs[occurrence]
      }
      return missing.map { "invariant 4: occurrence \($0.0) was not delivered as decided" }
    }
  }

  /// Returns whether each shard has an owner that is alive and not paused.
  func areShardsOwned() -> Bool {
    server?.shards.allSatisfy { shard in
      processes.contains { $0.isAlive && !$0.isPaused && $0.incarnation == shard.owner }
    } ?? true
  }

  /// Returns whether some process serves each shard.
  func areShardsServed() -> Bool {
    server?.shards.indices.allSatisfy { shard in processes.contains { $0.serves(shard) } } ?? true
  }
}
