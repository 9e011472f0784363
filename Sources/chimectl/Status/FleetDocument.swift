import API
import CivilTime
import JSON

/// The service's document about its fleet.
struct FleetDocument {
  struct Node {
    /// The node's random number, which is new each time the node joins the fleet.
    let number: String
    let name: String
    let address: String
    let version: String
    /// One of serving, draining, silent, gone and fenced.
    let standing: String
    /// The time since the node's last heartbeat, in seconds.
    let age: Double?
    /// How far the node's clock is ahead of PostgreSQL's, in seconds.
    let skew: Double?
    /// The node's lease, the silence after which other nodes take over, in seconds.
    let lease: Double?
    /// The number of shards that the node owns.
    let shards: Int64

    /// Returns the node's name, with its number if several nodes have the name.
    func title(among nodes: [Node]) -> String {
      nodes.count { $0.name == name } > 1 ? "\(name) (\(number))" : name
    }
  }

  /// The number of the replying node.
  let replyingNode: String
  /// The lease of the replying node, in seconds.
  let lease: Double
  /// How far the replying node's clock is ahead of PostgreSQL's, in seconds; nil if it is unknown.
  let skew: Double?
  /// Whether the skew is large enough to warn operators.
  let isSkewed: Bool
  /// Whether the replying node may act as the owner of its shards.
  let isTrusted: Bool
  let troubles: NodeTroubles
  /// The current members.
  let nodes: [Node]
  /// The number of shards of the store.
  let shards: Int64
  /// The shards without an owner.
  let free: [Int64]
  /// The number of nodes that claim free shards.
  let takers: Int64
  /// Settings that differ between nodes.
  let differences: [String]
  /// The names of drained nodes, whether or not such a node is a member now.
  let drained: [String]

  init(_ document: JSONValue) throws(CommandError) {
    let fleet = Answer<FleetPayload>(document)
    replyingNode = try fleet.node
    lease = try fleet.lease
    skew = try fleet.trust.skew
    isSkewed = try fleet.trust.skewed
    isTrusted = try fleet.trust.trusted
    troubles = try NodeTroubles(fleet.troubles)
    let allNodes = try fleet.nodes.map { node throws(CommandError) in try Node(node) }
    nodes = allNodes.filter { $0.standing != "fenced" }
    shards = Int64(try fleet.shards.count)
    free = try fleet.free
    takers = try fleet.takers
    differences = try fleet.differences
    drained = try fleet.drained
  }
}

extension FleetDocument.Node {
  fileprivate init(_ node: Answer<NodePayload>) throws(CommandError) {
    number = try node.node
    name = try node.name
    address = try node.address
    version = try node.version
    standing = try node.standing
    age = try node.age
    skew = try node.skew
    lease = try node.lease
    shards = try node.shards
  }
}

extension FleetDocument {
  /// The conditions that an operator should know; faults first.
  var findings: [Finding] {
    let optionalFindings =
      [trust, unowned] + nodes.map(absence)
      + [FleetFindings.differing(differences), clock] + troubles.findings
      + [versions, absentDrained]
    let findings = optionalFindings.compactMap { $0 }
    return findings.filter { $0.weight == .fault } + findings.filter { $0.weight == .remark }
  }

  private var trust: Finding? {
    isTrusted ? nil : FleetFindings.distrust
  }

  private var unowned: Finding? {
    FleetFindings.unowned(Int64(free.count), of: shards, hasTaker: takers > 0)
  }

  private func absence(_ node: Node) -> Finding? {
    guard ["silent", "gone"].contains(node.standing) else { return nil }
    let age = node.age.map { "its last heartbeat was \(Self.seconds($0)) ago" }
    return Finding(
      weight: .fault, summary: "\(node.title(among: nodes)) is \(node.standing)",
      details: [age, "it owns \(node.shards) shards"].compactMap { $0 },
      advice: "the others take over after \(Self.seconds(lease)); check its machine")
  }

  private var clock: Finding? {
    isSkewed ? FleetFindings.skewed(skew ?? 0) : nil
  }

  private var versions: Finding? {
    let versions = Set(nodes.map(\.version)).sorted()
    guard versions.count > 1 else { return nil }
    return Finding(
      weight: .remark,
      summary: "the nodes have the versions \(versions.joined(separator: " and "))", details: [],
      advice: "update the remaining nodes, one after the other")
  }

  /// The finding that drained nodes are absent. A drained node that comes back claims no shards,
  /// and operators may have forgotten why.
  private var absentDrained: Finding? {
    let absent = drained.filter { name in !nodes.contains { $0.name == name } }
    guard let first = absent.first else { return nil }
    return Finding(
      weight: .remark,
      summary: "\(absent.joined(separator: ", ")): drained and absent", details: [],
      advice: "a node with this name takes no shards until: chimectl fleet drain \(first) --undo")
  }

  /// Returns a text such as "+0.3 s", "-2.0 s" or "0.0 s".
  static func signedSeconds(_ seconds: Double) -> String {
    let magnitude = Self.seconds(seconds.magnitude)
    return magnitude == "0.0 s" ? magnitude : (seconds < 0 ? "-" : "+") + magnitude
  }

  /// Returns a text such as "0.3 s" or, from a minute on, such as "12 min".
  static func seconds(_ seconds: Double) -> String {
    let tenths = Int64((seconds * 10).rounded())
    return tenths < 600
      ? "\(tenths / 10).\(tenths % 10) s" : TimeDistance.length(UInt64(max(0, tenths / 10)))
  }
}

/// The findings about a fleet that several reports share.
enum FleetFindings {
  /// The finding that the replying node may not act.
  static let distrust = Finding(
    weight: .fault, summary: "PostgreSQL has not answered in time",
    details: ["until it does, nothing is accepted or sent"],
    advice: "check the server and the network")

  /// - Parameter hasTaker: whether a node will claim the free shards soon.
  static func unowned(_ free: Int64, of shards: Int64, hasTaker: Bool) -> Finding? {
    guard free > 0 else { return nil }
    return Finding(
      weight: hasTaker ? .remark : .fault,
      summary: "\(free) of \(shards) shards \(free == 1 ? "has" : "have") no owner",
      details: ["their due occurrences wait, and their events are answered with 503"],
      advice: "a node takes them within seconds, unless all nodes are drained or have a wrong clock"
    )
  }

  static func differing(_ settings: [String]) -> Finding? {
    guard !settings.isEmpty else { return nil }
    let names = settings.map { Self.settingNames[$0] ?? $0 }
    return Finding(
      weight: .remark, summary: "nodes differ in \(names.joined(separator: " and "))",
      details: ["a recipient that moves is scheduled by the new node's settings"],
      advice: "make them equal, then on each node: chimectl reload")
  }

  private static let settingNames = [
    "zones": "their tz databases (tzdata)", "default-zone": "default-zone",
    "catalogs": "their catalogs",
  ]

  static func skewed(_ skew: Double) -> Finding {
    let difference = FleetDocument.seconds(skew.magnitude)
    return Finding(
      weight: .remark,
      summary: "the clock is \(difference) \(skew < 0 ? "behind" : "ahead of") PostgreSQL's",
      details: ["from 2 s on, a node takes no shards and gives its own away"],
      advice: "check the time synchronization of both machines")
  }
}
