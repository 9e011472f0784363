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
      holds until it is undone, or until the node is started again.
      """,
    answers: [Answer("It is to be drained", draining, example: drained(true))],
    problems: [.noFleet, .unknownNode, .undrainable])

  static let undrainNode = Operation(
    identifier: "undrainNode", summary: "Have a node keep what it has, and take its share again",
    answers: [Answer("It takes part again", draining, example: drained(false))],
    problems: [.noFleet, .unknownNode, .undrainable])

  private static let draining = Schema.object(
    .init("node", .text), .init("name", .text), .init("draining", .boolean))

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
  ]
}

extension Component {
  static var fleetSchema: Schema {
    let shard = Schema.object(
      .init("shard", .count), .init("node", Schema.text.orNull.described("Its owner")),
      .init("epoch", .count.described("How often it has lost an owner")))
    return .object(
      [
        .init("now", .instant.described("By the server's clock")),
        .init("node", .text.described("The one that answers")),
        .init("lease", .seconds.described("After how long a silence others take over")),
      ] + ownTrust + [
        .init("nodes", .list(node)), .init("shards", .list(shard)),
        .init("free", .list(.count).described("Shards without an owner")),
      ])
  }

  private static var ownTrust: [Schema.Property] {
    let skew = Schema(type: "number").orNull
    return [
      .init("skew", skew.described("By how many seconds its clock is ahead of the server's")),
      .init("skewed", .boolean.described("Whether that is to be looked after")),
      .init("trusted", .boolean.described("Whether it may act; false while the server is away")),
    ]
  }

  private static var node: Schema {
    .object(
      .init("node", .text.described("The number of its start")), .init("name", .text),
      .init("address", .text.described("Where others reach it; nothing if they do not")),
      .init("version", .text), .init("standing", .word(NodeStanding.allCases.map(\.rawValue))),
      .init("heartbeat", Schema.instant.orNull),
      .init("age", Schema.seconds.orNull.described("Of the heartbeat, by the server's clock")),
      .init("connected", .boolean.described("Whether its session is there")),
      .init("draining", .boolean), .init("fenced", .boolean.described("It is out of the fleet")),
      .init("shards", .count.described("How many it owns")))
  }

  /// What the status says of it.
  static var fleetSummary: Schema {
    .object(
      [
        .init("node", .text.described("The one that answers")),
        .init("nodes", .count.described("Those that are in it")), .init("silent", .count),
        .init("gone", .count), .init("draining", .count), .init("shards", .count),
        .init("own", .count.described("Shards of the node that answers")),
        .init("free", .count.described("Shards without an owner")),
      ] + ownTrust)
  }
}
