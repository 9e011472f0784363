import Engine
import JSON
import Store

extension Operation {
  static let fleet = Operation(
    identifier: "fleet", summary: "The nodes that use the store, and the owners of shards",
    details: """
      The state recorded in PostgreSQL, with times by its clock. At the top level, node is the \
      answering node, and lease, skew, skewed and trusted are the state of this node. A service \
      with its store in a file has no fleet. A single node on PostgreSQL is a fleet of one.
      """,
    answers: [Answer("The fleet", .reference(.fleet), example: Self.example)],
    problems: [.noFleet])

  static let drainNode = Operation(
    identifier: "drainNode", summary: "Move all shards of a node to the others",
    details: """
      The node is given by its name or its number (node of /v1/fleet, new at each start); any node \
      accepts the request. The node gives its shards away one by one, each when none of its \
      occurrences is due and none of its deliveries is in flight, so nothing is sent twice. \
      Draining applies to the name, also after a restart, until it is undone.
      """,
    answers: [Answer("The node is draining", draining, example: drained(true))],
    problems: [.noFleet, .unknownNode, .undrainable])

  static let undrainNode = Operation(
    identifier: "undrainNode", summary: "Undo the draining of a node",
    details: "Give the node's name, even if the node is down, or its number (node of /v1/fleet).",
    answers: [Answer("The node may own shards again", draining, example: drained(false))],
    problems: [.noFleet, .unknownNode, .undrainable])

  private static let draining = Schema.of(DrainingPayload.self)

  private static func drained(_ isDraining: Bool) -> JSONValue {
    ["node": "5f1c9a7be2d04a31", "name": "north", "draining": .bool(isDraining)]
  }

  private static let example: JSONValue = [
    "now": "2026-03-02T21:00:00.000Z", "node": "5f1c9a7be2d04a31", "lease": 5.0, "skew": 0.012,
    "skewed": false, "trusted": true, "differingLeases": [], "skewedNodes": [], "sharedNames": [],
    "nodes": [
      [
        "node": "5f1c9a7be2d04a31", "name": "north", "address": "10.0.0.5:7443",
        "version": "0.1.0", "standing": "serving", "heartbeat": "2026-03-02T20:59:59.400Z",
        "age": 0.6, "skew": 0.012, "lease": 5.0, "connected": true, "draining": false,
        "fenced": false, "shards": 1,
      ]
    ],
    "shards": [["shard": 0, "node": "5f1c9a7be2d04a31", "epoch": 3]], "free": [], "takers": 1,
    "differences": [], "drained": [],
  ]
}
