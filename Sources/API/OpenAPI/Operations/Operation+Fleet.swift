import Engine
import JSON
import Store

extension Operation {
  static let fleet = Operation(
    identifier: "fleet", summary: "The nodes that work on the store, and who owns which shard",
    details: """
      As PostgreSQL has it, by its clock; node is the one that answers, and skew, skewed and \
      trusted are what it knows of itself. A service that keeps everything in a file has no fleet. \
      One that works on PostgreSQL alone is a fleet of one.
      """,
    answers: [Answer("The fleet", .reference(.fleet), example: Self.example)],
    problems: [.noFleet])

  static let drainNode = Operation(
    identifier: "drainNode", summary: "Have a node give all its shards to the others",
    details: """
      By its name, or by the number of its start; asked of any node. It gives one away after the \
      other, when nothing of it is due or with a sink, and nothing is said twice for that. It \
      holds for the name, also when the node is started again, until it is undone.
      """,
    answers: [Answer("It is to be drained", draining, example: drained(true))],
    problems: [.noFleet, .unknownNode, .undrainable])

  static let undrainNode = Operation(
    identifier: "undrainNode", summary: "Have a node keep what it has, and take its share again",
    details: "By its name, also while it is not there, or by the number of its start.",
    answers: [Answer("It takes part again", draining, example: drained(false))],
    problems: [.noFleet, .unknownNode, .undrainable])

  private static let draining = Schema.of(DrainingPayload.self)

  private static func drained(_ isDraining: Bool) -> JSONValue {
    ["node": "5f1c9a7be2d04a31", "name": "north", "draining": .bool(isDraining)]
  }

  private static let example: JSONValue = [
    "now": "2026-03-02T21:00:00.000Z", "node": "5f1c9a7be2d04a31", "lease": 5.0, "skew": 0.012,
    "skewed": false, "trusted": true,
    "nodes": [
      [
        "node": "5f1c9a7be2d04a31", "name": "north", "address": "10.0.0.5:7443",
        "version": "0.1.0", "standing": "serving", "heartbeat": "2026-03-02T20:59:59.400Z",
        "age": 0.6, "connected": true, "draining": false, "fenced": false, "shards": 1,
      ]
    ],
    "shards": [["shard": 0, "node": "5f1c9a7be2d04a31", "epoch": 3]], "free": [],
    "differences": [], "drained": [],
  ]
}
