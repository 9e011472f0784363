import API
import CivilTime
import JSON

/// What the service says of the fleet that it is a node of.
struct FleetDocument {
  struct Node {
    let number: String
    let name: String
    let address: String
    let version: String
    let standing: String
    /// Of its heartbeat, in seconds.
    let age: Double?
    let shards: Int64

    /// What people call it; the number where several have the name.
    func title(among nodes: [Node]) -> String {
      nodes.count { $0.name == name } > 1 ? "\(name) (\(number))" : name
    }
  }

  /// The number of the node that answers.
  let own: String
  let lease: Double
  let skew: Double?
  let isSkewed: Bool
  let isTrusted: Bool
  /// Those that are in it.
  let nodes: [Node]
  let shards: Int64
  let free: [Int64]
  /// In what its nodes plan otherwise than others.
  let differences: [String]
  /// The names of those who are to give everything away, be they there or not.
  let drained: [String]

  init(_ document: JSONValue) throws(Failure) {
    let fleet = Answer<FleetPayload>(document)
    own = try fleet.node
    lease = try fleet.lease
    skew = try fleet.trust.skew
    isSkewed = try fleet.trust.skewed
    isTrusted = try fleet.trust.trusted
    let all = try fleet.nodes.map { node throws(Failure) in try Node(node) }
    nodes = all.filter { $0.standing != "fenced" }
    shards = Int64(try fleet.shards.count)
    free = try fleet.free
    differences = try fleet.differences
    drained = try fleet.drained
  }
}

extension FleetDocument.Node {
  fileprivate init(_ node: Answer<NodePayload>) throws(Failure) {
    number = try node.node
    name = try node.name
    address = try node.address
    version = try node.version
    standing = try node.standing
    age = try node.age
    shards = try node.shards
  }
}

extension FleetDocument {
  /// What an operator ought to know of; faults first.
  var findings: [Finding] {
    let all =
      [trust, unowned] + nodes.map(absence)
      + [FleetFindings.differing(differences), clock, versions, absentees]
    let found = all.compactMap { $0 }
    return found.filter { $0.weight == .fault } + found.filter { $0.weight == .remark }
  }

  private var trust: Finding? {
    isTrusted ? nil : FleetFindings.distrust
  }

  private var unowned: Finding? { FleetFindings.unowned(Int64(free.count), of: shards) }

  private func absence(_ node: Node) -> Finding? {
    guard ["silent", "gone"].contains(node.standing) else { return nil }
    let age = node.age.map { "its last heartbeat was \(Self.seconds($0)) ago" }
    return Finding(
      weight: .fault, summary: "\(node.title(among: nodes)) is \(node.standing)",
      details: [age, "it owns \(node.shards) shards"].compactMap { $0 },
      advice: "the others take over after \(Self.seconds(lease)); look after its machine")
  }

  private var clock: Finding? {
    isSkewed ? FleetFindings.skewed(skew ?? 0) : nil
  }

  private var versions: Finding? {
    let versions = Set(nodes.map(\.version)).sorted()
    guard versions.count > 1 else { return nil }
    return Finding(
      weight: .remark, summary: "nodes are of \(versions.joined(separator: " and "))", details: [],
      advice: "update the others, one after the other")
  }

  /// Who comes again takes no share, which nobody may remember.
  private var absentees: Finding? {
    let absent = drained.filter { name in !nodes.contains { $0.name == name } }
    guard let first = absent.first else { return nil }
    return Finding(
      weight: .remark,
      summary: "\(absent.joined(separator: ", ")): drained, and not there", details: [],
      advice: "who starts by that name takes no share until: chimectl fleet drain \(first) --undo")
  }

  static func seconds(_ seconds: Double) -> String {
    let tenths = Int64((seconds * 10).rounded())
    return tenths < 600
      ? "\(tenths / 10).\(tenths % 10) s" : Countdown.length(UInt64(max(0, tenths / 10)))
  }
}

/// What is wrong with a fleet in the same words wherever it is told.
enum FleetFindings {
  static let distrust = Finding(
    weight: .fault, summary: "PostgreSQL has not answered in time",
    details: ["nothing is taken in or sent until it does"],
    advice: "look after the server, and the network to it")

  static func unowned(_ free: Int64, of shards: Int64) -> Finding? {
    guard free > 0 else { return nil }
    return Finding(
      weight: .fault,
      summary: "\(free) of \(shards) shards \(free == 1 ? "has" : "have") no owner",
      details: ["what is due of them waits, and their events are answered with 503"],
      advice: "a node takes them within seconds, unless all are drained or have a wrong clock")
  }

  static func differing(_ parts: [String]) -> Finding? {
    guard !parts.isEmpty else { return nil }
    let words = parts.map { Self.parts[$0] ?? $0 }
    return Finding(
      weight: .remark, summary: "nodes differ in \(words.joined(separator: " and "))",
      details: ["whoever moves from one to another is reminded otherwise"],
      advice: "give all the same, and on each: chimectl reload")
  }

  private static let parts = [
    "zones": "their tz databases (tzdata)", "default-zone": "default-zone",
    "catalogs": "their catalogs",
  ]

  static func skewed(_ skew: Double) -> Finding {
    let size = FleetDocument.seconds(skew.magnitude)
    return Finding(
      weight: .remark,
      summary: "the clock is \(size) \(skew < 0 ? "behind" : "ahead of") PostgreSQL's",
      details: ["by 2 s and more a node takes over nothing"],
      advice: "look after time synchronization on both machines")
  }
}
