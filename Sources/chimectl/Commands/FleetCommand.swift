import API
import ArgumentParser
import JSON
import NIOHTTP1

/// Shows the nodes that share one store, and drains one.
struct FleetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fleet", abstract: "Show the nodes that share the store; drain one.",
    subcommands: [ListCommand.self, DrainCommand.self], defaultSubcommand: ListCommand.self)

  /// Shows the nodes.
  struct ListCommand: DocumentCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "Show each node with its shards, clock and lease.",
      discussion: """
        Problems come first: shards without an owner, a silent node, a clock that differs from \
        PostgreSQL's, leases that differ, a name that several nodes have. CLOCK is how far a \
        node's clock is ahead of PostgreSQL's. A node is silent if its last heartbeat is older \
        than a lease, and gone if its session has ended. See chimed-fleet(7).
        """)

    @OptionGroup var options: TableOptions

    var path: String { "/v1/fleet" }

    static func text(_ document: JSONValue) throws(CommandError) -> String {
      try FleetReport(FleetDocument(document)).text()
    }
  }

  /// Drains a node.
  struct DrainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "drain", abstract: "Move all shards of a node to the others.",
      discussion: """
        chimectl fleet drain north
        chimectl fleet drain north --undo

        Shards move one by one, each when nothing of it is due or in flight, so that nothing is \
        delivered twice. The drain applies to the node's name and outlives restarts. To update a \
        node: drain it, stop it, update it, start it and undo the drain. The last undrained node \
        cannot be drained.
        """)

    @Argument(help: "The node's name or number.")
    var node: String

    @Flag(help: "Undo the drain: the node takes its share of shards again.")
    var undo = false

    @OptionGroup var options: AnswerOptions

    func run() async throws {
      let verb = undo ? "undrain" : "drain"
      try await reporting {
        try await options.show {
          try await $0.write(.POST, "/v1/fleet/nodes/\(ServiceClient.segment(node))/\(verb)")
        } as: { answer throws(CommandError) in
          let node = Answer<DrainingPayload>(answer)
          let name = try node.name
          return try node.draining
            ? "\(name) is draining; chimectl fleet shows its remaining shards\n"
            : "\(name) takes shards again\n"
        }
      }
    }
  }
}

/// A fleet as text.
struct FleetReport {
  private let fleet: FleetDocument

  init(_ fleet: FleetDocument) {
    self.fleet = fleet
  }

  func text(on screen: Screen = .current) -> String {
    let findings = fleet.findings
    var text = findings.map { $0.text(on: screen) }.joined()
    if !findings.isEmpty { text += "\n" }
    return text + table.text(on: screen)
  }

  private var table: Table {
    var table = Table(
      header: [
        "NODE", "NUMBER", "STANDING", "SHARDS", "HEARTBEAT", "CLOCK", "LEASE", "VERSION", "ADDRESS",
      ])
    for node in fleet.nodes {
      let style: Style? =
        switch node.standing {
        case "serving": nil
        case "draining": .doubtful
        default: .bad
        }
      table.add(
        [
          node.name, node.number + (node.number == fleet.replyingNode ? " *" : ""), node.standing,
          "\(node.shards) of \(fleet.shards)",
          node.age.map { FleetDocument.seconds($0) + " ago" } ?? "-",
          node.skew.map(FleetDocument.signedSeconds) ?? "-",
          node.lease.map(FleetDocument.seconds) ?? "-", node.version,
          node.address.isEmpty ? "-" : node.address,
        ], styles: style.map { [2: $0] } ?? [:])
    }
    return table
  }
}
