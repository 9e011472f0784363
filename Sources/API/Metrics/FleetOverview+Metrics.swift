import CivilTime
import Engine
import Store

extension FleetOverview {
  /// Writes metrics of the fleet, as this node sees the fleet.
  func write(to writer: inout MetricsWriter) {
    writer.begin(
      "chimed_fleet_nodes", .gauge, "Nodes that work on the store, by their standing.")
    for standing in NodeStanding.allCases where standing != .fenced {
      writer.sample([("standing", standing.rawValue)], count(standing))
    }
    writer.single(
      "chimed_fleet_shards", .gauge, "Shards that the store is divided into.",
      Double(stored.shards.count))
    writer.single(
      "chimed_fleet_shards_owned", .gauge, "Shards that this node owns.",
      Double(stored.shardCount(of: stored.ownIncarnation)))
    writer.single(
      "chimed_fleet_shards_free", .gauge,
      "Shards without an owner; their due occurrences wait.", Double(stored.free.count))
    writer.single(
      "chimed_fleet_trusted", .gauge,
      "Whether this node may act: 0 while PostgreSQL has not answered in time.",
      status.isTrusted ? 1 : 0)
    writePlans(to: &writer)
    writeEvictions(to: &writer)
    writeAges(to: &writer)
    guard let skew = status.skew else { return }
    writer.single(
      "chimed_fleet_skew_seconds", .gauge,
      "How far this node's clock is ahead of PostgreSQL's.", skew.seconds)
  }

  private func writePlans(to writer: inout MetricsWriter) {
    writer.single(
      "chimed_fleet_plans", .gauge,
      "Combinations of catalogs, default zone and tz database in use; 2 or more if nodes differ.",
      Double(stored.plans.count))
  }

  private func writeEvictions(to writer: inout MetricsWriter) {
    writer.begin(
      "chimed_fleet_evictions_total", .counter,
      "Nodes that this node has evicted since its start, by reason.")
    for evictions in status.evictions {
      writer.sample([("reason", evictions.reason)], evictions.count)
    }
  }

  private func writeAges(to writer: inout MetricsWriter) {
    writer.begin(
      "chimed_fleet_heartbeat_age_seconds", .gauge,
      "Age of a node's last heartbeat, by PostgreSQL's clock.")
    for node in stored.members {
      guard let age = age(of: node) else { continue }
      writer.sample([("name", node.name), ("node", node.identifier)], age.seconds)
    }
  }
}
