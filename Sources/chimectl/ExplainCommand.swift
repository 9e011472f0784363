import ArgumentParser
import CivilTime
import JSON

/// Says why something goes out when it does, or does not.
struct ExplainCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Say why a reminder goes out when it does, gate by gate.",
    discussion: """
      chimectl explain u1 daily-checkin-reminder
      chimectl explain u1 --category LESSON --at 2026-03-06T23:00:00Z
      """)

  @Argument(help: "The recipient's id.")
  var recipient: String

  @Argument(help: "A reminder that is pending, as chimectl pending shows it.")
  var reminder: String?

  @Option(help: "Instead of what is pending: something of this category.")
  var category: String?

  @Option(help: "When it would be said, such as 2026-03-02T21:00:00Z; now, if absent.")
  var at: Instant?

  @Flag(help: "Print the service's JSON.")
  var json = false

  @OptionGroup var connection: ConnectionOptions

  func validate() throws {
    guard (reminder == nil) != (category == nil) else {
      throw ValidationError("Give either a reminder that is pending or a --category.")
    }
  }

  func run() async throws {
    try await reporting {
      let document = try await connection.withClient { try await $0.document(path) }
      Console.printOutput(
        json ? JSONWriter.prettyPrinted(document) + "\n" : try ExplainReport(document).text)
    }
  }

  private var path: String {
    var path = "/v1/recipients/\(ServiceClient.segment(recipient))/explain?"
    if let reminder { path += "reminder=\(ServiceClient.segment(reminder))" }
    if let category { path += "category=\(ServiceClient.segment(category))" }
    if let at { path += "&at=\(ServiceClient.segment(at.description))" }
    return path
  }
}
