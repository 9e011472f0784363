import ArgumentParser
import CivilTime
import JSON

/// Says why something goes out when it does, or does not.
struct ExplainCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Say why a reminder goes out when it does, did or would, gate by gate.",
    discussion: """
      chimectl explain u1 daily-checkin-reminder
      chimectl explain u1 --category LESSON --at 2026-03-06T23:00:00Z
      chimectl explain u1 --notification 1x2y3z-17
      """)

  @Argument(help: "The recipient's id.")
  var recipient: String

  @Argument(
    help: "A reminder that is pending, as chimectl pending shows it.", completion: Known.reminders)
  var reminder: String?

  @Option(
    help: "Instead of what is pending: something of this category.", completion: Known.categories)
  var category: String?

  @Option(help: "When it would be said, such as 2026-03-02T21:00:00Z; now, if absent.")
  var at: Instant?

  @Option(help: "Instead of what is pending: what is past, by the id that its deliveries carry.")
  var notification: String?

  @Flag(help: "Print the service's JSON.")
  var json = false

  @OptionGroup var layout: LayoutOptions

  @OptionGroup var connection: ConnectionOptions

  func validate() throws {
    guard [reminder, category, notification].count(where: { $0 != nil }) == 1 else {
      throw ValidationError(
        "Give either a reminder that is pending, a --category or a --notification.")
    }
    if at != nil, category == nil { throw ValidationError("--at goes with --category.") }
  }

  func run() async throws {
    try await reporting(layout) {
      let document = try await connection.withClient { try await $0.document(path) }
      Console.printOutput(
        json ? JSONWriter.prettyPrinted(document) + "\n" : try ExplainReport(document).text)
    }
  }

  private var path: String {
    var path = "/v1/recipients/\(ServiceClient.segment(recipient))/explain?"
    if let reminder { path += "reminder=\(ServiceClient.segment(reminder))" }
    if let category { path += "category=\(ServiceClient.segment(category))" }
    if let notification { path += "notification=\(ServiceClient.segment(notification))" }
    if let at { path += "&at=\(ServiceClient.segment(at.description))" }
    return path
  }
}
