import ArgumentParser
import JSON

/// Shows what is pending for a recipient.
struct PendingCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pending",
    abstract: "Show what is pending for a recipient, in their own time.")

  @Argument(help: "The recipient's id.")
  var recipient: String

  @Flag(help: "Print the service's JSON.")
  var json = false

  @OptionGroup var layout: LayoutOptions

  @OptionGroup var connection: ConnectionOptions

  func run() async throws {
    try await reporting(layout) {
      let document = try await document()
      Console.printOutput(
        json ? JSONWriter.prettyPrinted(document) + "\n" : try PendingReport(document).text)
    }
  }

  /// All pages as one document.
  func document() async throws -> JSONValue {
    try await connection.withClient(whole)
  }

  private func whole(_ client: ServiceClient) async throws(Failure) -> JSONValue {
    let path = "/v1/recipients/\(ServiceClient.segment(recipient))/pending?limit=1000"
    var page = try await client.document(path)
    guard case .object(var whole) = page else { return page }
    var entries = page["pending"]?.arrayValue ?? []
    while let next = page["next"]?.stringValue {
      page = try await client.document(path + "&after=" + ServiceClient.segment(next))
      entries += page["pending"]?.arrayValue ?? []
    }
    whole["pending"] = .array(entries)
    whole["next"] = .null
    return .object(whole)
  }
}
