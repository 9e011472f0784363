import ArgumentParser
import JSON

/// Shows everything that is held of a recipient.
struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Print everything that is held of a recipient, as JSON.",
    discussion: "chimectl export u1 > u1.json")

  @Argument(help: "The recipient's id.")
  var recipient: String

  @Flag(help: "Print the service's JSON, as it does in any case.")
  var json = false

  @OptionGroup var connection: ConnectionOptions

  func run() async throws {
    try await reporting {
      let path = "/v1/recipients/\(ServiceClient.segment(recipient))/export"
      let document = try await connection.withClient { try await $0.document(path) }
      Console.printJSON(document)
    }
  }
}
