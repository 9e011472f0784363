import ArgumentParser
import JSON

/// Shows how the service is.
struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show how the service is and what is due next.")

  @Flag(help: "Print the service's JSON.")
  var json = false

  @OptionGroup var connection: ConnectionOptions

  func run() async throws {
    try await reporting {
      let document = try await connection.withClient { try await $0.document("/v1/status") }
      Console.printOutput(
        json ? JSONWriter.prettyPrinted(document) + "\n" : try StatusReport(document).text)
    }
  }
}
