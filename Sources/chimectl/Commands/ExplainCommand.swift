import ArgumentParser
import CivilTime
import JSON

/// Explains why and when a notification is sent, or why not.
struct ExplainCommand: DocumentCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Explain gate by gate when and why a notification is, was or would be sent.",
    discussion: """
      chimectl explain u1 daily-checkin-reminder
      chimectl explain u1 --category LESSON --at 2026-03-06T23:00:00Z
      chimectl explain u1 daily-checkin-reminder --as-of 2026-03-02T21:00:00Z
      chimectl explain u1 --notification 1x2y3z-17
      """)

  @Argument(help: "The recipient's id.", completion: Completions.recipients)
  var recipient: String

  @Argument(
    help: "A pending reminder, as chimectl pending shows it.", completion: Completions.reminders)
  var reminder: String?

  @Option(
    help: "Instead of a pending reminder: any notification of this category.",
    completion: Completions.categories)
  var category: String?

  @Option(
    help: "The assumed time, such as 2026-03-02T21:00:00Z; default: now, or the --as-of instant.")
  var at: Instant?

  @Option(help: "The channel to explain first: push, email, sms or inapp.")
  var channel: String?

  @Option(help: "Instead of a pending reminder: a past notification, by the id in its deliveries.")
  var notification: String?

  @OptionGroup var past: PastOptions

  @OptionGroup var options: TableOptions

  func validate() throws {
    guard [reminder, category, notification].count(where: { $0 != nil }) == 1 else {
      throw ValidationError(
        "Give either a pending reminder, --category or --notification.")
    }
    if at != nil, category == nil { throw ValidationError("--at needs --category.") }
    if channel != nil, notification != nil {
      throw ValidationError("--channel cannot be combined with --notification.")
    }
    if past.asOf != nil, notification != nil {
      throw ValidationError("--as-of cannot be combined with --notification.")
    }
  }

  static func text(_ document: JSONValue) throws(CommandError) -> String {
    try ExplainReport(document).text
  }

  var path: String {
    var path = "/v1/recipients/\(ServiceClient.segment(recipient))/explain?"
    if let reminder { path += "reminder=\(ServiceClient.segment(reminder))" }
    if let category { path += "category=\(ServiceClient.segment(category))" }
    if let notification { path += "notification=\(ServiceClient.segment(notification))" }
    if let channel { path += "&channel=\(ServiceClient.segment(channel))" }
    if let at { path += "&at=\(ServiceClient.segment(at.description))" }
    return path + past.parameter
  }
}
