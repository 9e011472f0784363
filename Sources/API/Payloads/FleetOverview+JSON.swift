import CivilTime
import Engine
import JSON
import Store

extension FleetOverview {
  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("now", stored.now.description)
    writer.member("node", String(stored.own, radix: 16))
    writer.member("lease", status.lease.seconds)
    writer.member("skew", status.skew.map { .number($0.seconds) } ?? .null)
    writer.member("skewed", isSkewed)
    writer.member("trusted", status.isTrusted)
    writer.key(constant: "nodes")
    writer.beginArray()
    for node in stored.nodes { write(node, to: &writer) }
    writer.endArray()
    writer.key(constant: "shards")
    writer.beginArray()
    for shard in stored.shards { shard.write(to: &writer) }
    writer.endArray()
    writer.member("free", .array(stored.free.map { .integer(Int64($0)) }))
    writer.endObject()
  }

  private func write(_ node: StoredFleet.Node, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("node", node.identifier)
    writer.member("name", node.name)
    writer.member("address", node.address)
    writer.member("version", node.version)
    writer.member("standing", standing(of: node).rawValue)
    writer.member("heartbeat", node.heartbeat.map { .string($0.description) } ?? .null)
    writer.member("age", age(of: node).map { .number($0.seconds) } ?? .null)
    writer.member("connected", node.isConnected)
    writer.member("draining", node.isDraining)
    writer.member("fenced", node.isFenced)
    writer.member("shards", stored.count(of: node.incarnation))
    writer.endObject()
  }

  /// What the status says of it.
  func writeSummary(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("node", String(stored.own, radix: 16))
    writer.member("nodes", stored.members.count)
    writer.member("silent", count(.silent))
    writer.member("gone", count(.gone))
    writer.member("draining", count(.draining))
    writer.member("shards", stored.shards.count)
    writer.member("own", stored.count(of: stored.own))
    writer.member("free", stored.free.count)
    writer.member("skew", status.skew.map { .number($0.seconds) } ?? .null)
    writer.member("skewed", isSkewed)
    writer.member("trusted", status.isTrusted)
    writer.endObject()
  }
}

extension StoredFleet.Shard {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("shard", shard)
    writer.member("node", owner.map { .string(String($0, radix: 16)) } ?? .null)
    writer.member("epoch", Int(epoch))
    writer.endObject()
  }
}

extension TimeSpan {
  var seconds: Double { Double(milliseconds) / 1_000 }
}
