import CivilTime
import Fleet

extension FleetJudge {
  /// Returns the expectations that are not yet met; empty if all are met.
  func unmetExpectations(of client: ModelClient) -> [String] {
    guard let server else { return [] }
    let idle = server.shards.indices.filter { shard in !processes.contains { $0.serves(shard) } }
    var unmet: [String] = []
    if !idle.isEmpty { unmet.append("shards \(idle) have no owner") }
    if !client.waiting.isEmpty { unmet.append("\(client.waiting.count) events are not ingested") }
    let left = server.rows.reduce(0) { $0 + $1.waiting.count + $1.open.count }
    if left > 0 { unmet.append("\(left) occurrences are not delivered") }
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

  /// Returns whether each shard is served by a process.
  func areShardsServed() -> Bool {
    server?.shards.indices.allSatisfy { shard in processes.contains { $0.serves(shard) } } ?? true
  }
}
