import ArgumentParser
import PostgresStore

/// Raises the format in which a fleet writes, once every node can read it.
struct FleetFinalizeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "finalize", abstract: "Have a fleet write what its newest version can.",
    discussion: """
      A version writes the format that the store is in, and reads the next as well: so nodes are \
      updated one after the other, and this is said when all of them are. Until now there is one \
      format.
      """)

  @Option(
    help: ArgumentHelp(
      "A configuration file that says store: {postgresql: {url: ...}}.", valueName: "file"))
  var config: String

  func run() throws {
    try obeying {
      let format = try FleetConfiguration.database(of: config).format()
      print("the store is in format \(format), the latest there is: there is nothing to raise")
    }
  }
}
