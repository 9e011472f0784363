import API
import ArgumentParser
import JSON
import NIOHTTP1

/// Shows the nodes that work on one store, and has one give everything away.
struct FleetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fleet", abstract: "Show the nodes that work on the store; drain one.",
    subcommands: [ListCommand.self, DrainCommand.self], defaultSubcommand: ListCommand.self)

  /// Shows the nodes.
  struct ListCommand: DocumentCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "Show each node, and how many shards it owns.",
      discussion: """
        What is wrong comes first: shards without an owner, a node that is silent, a clock that \
        differs from PostgreSQL's. A node is silent that has said nothing for a lease, and gone \
        whose session has ended. See chimed-fleet(7).
        """)

    @OptionGroup var options: TableOptions

    var path: String { "/v1/fleet" }

    static func text(_ document: JSONValue) throws(Failure) -> String {
      try FleetReport(FleetDocument(document)).text()
    }
  }

  /// Has one give everything away.
  struct DrainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "drain", abstract: "Have a node give all its shards to the others.",
      discussion: """
        chimectl fleet drain north
        chimectl fleet drain north --undo

        One shard goes after the other, when nothing of it is due or with a sink; nothing is said \
        twice for that. It holds for the node's name, also when the node is started again, until \
        it is undone: to update a node, drain it, stop it, update it, start it and undo. The last \
        node that is not drained is not.
        """)

    @Argument(help: "Its name, or the number of its start.")
    var node: String

    @Flag(help: "Have it keep what it has, and take its share again.")
    var undo = false

    @OptionGroup var options: AnswerOptions

    func run() async throws {
      let verb = undo ? "undrain" : "drain"
      try await reporting {
        try await options.show {
          try await $0.write(.POST, "/v1/fleet/nodes/\(ServiceClient.segment(node))/\(verb)")
        } as: { answer throws(Failure) in
          let node = Answer<DrainingPayload>(answer)
          let name = try node.name
          return try node.draining
            ? "\(name) gives its shards away; chimectl fleet shows how far it is\n"
            : "\(name) takes part again\n"
        }
      }
    }
  }
}

/// A fleet for people.
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
      header: ["NODE", "NUMBER", "STANDING", "SHARDS", "HEARTBEAT", "VERSION", "ADDRESS"])
    for node in fleet.nodes {
      let style: Style? =
        switch node.standing {
        case "serving": nil
        case "draining": .doubtful
        default: .bad
        }
      table.add(
        [
          node.name, node.number + (node.number == fleet.own ? " *" : ""), node.standing,
          "\(node.shards) of \(fleet.shards)",
          node.age.map { FleetDocument.seconds($0) + " ago" } ?? "-", node.version,
          node.address.isEmpty ? "-" : node.address,
        ], styles: style.map { [2: $0] } ?? [:])
    }
    return table
  }
}
