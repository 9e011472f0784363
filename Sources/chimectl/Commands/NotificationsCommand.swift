import API
import ArgumentParser
import CivilTime
import JSON
import Reminders

/// Shows a recipient's past notifications.
struct NotificationsCommand: DocumentCommand {
  static let configuration = CommandConfiguration(
    commandName: "notifications",
    abstract: "Show a recipient's past notifications, the latest first.",
    discussion: """
      chimectl notifications u1
      chimectl notifications u1 --search "trial ends" --part all --outcome any
      """)

  @Argument(help: "The recipient's id.", completion: Completions.recipients)
  var recipient: String

  @Option(help: "Words to find; title and text together must contain all of them.")
  var search: String?

  @Option(help: "The notifications to list: recent (not dismissed), dismissed or all.")
  var part = "recent"

  @Option(
    help: """
      The outcome: sending, accepted, received, complained, failed, bounced, dropped, bundled, \
      delivered (accepted, received or complained) or any.
      """)
  var outcome = "delivered"

  @Option(help: "The maximum number, from 1 to 1000.")
  var limit = 20

  @OptionGroup var options: TableOptions

  var path: String {
    var path = "/v1/recipients/\(ServiceClient.segment(recipient))/notifications?limit=\(limit)"
    path += "&part=\(ServiceClient.segment(part))&outcome=\(ServiceClient.segment(outcome))"
    if let search { path += "&q=\(ServiceClient.segment(search))" }
    return path
  }

  static func text(_ document: JSONValue) throws(CommandError) -> String {
    let page = Answer<NotificationPagePayload>(document)
    let head = "\(try page.recipient), \(try page.zone)".printable + "\n"
    let entries = try page.notifications
    let foot = try page.next == nil ? "" : moreHint
    guard !entries.isEmpty else {
      return head + (try page.caughtUp.message ?? "There is nothing to show.").printable + "\n"
        + foot
    }
    let now = try page.now
    var table = Table(header: ["LOCAL TIME", "WHEN", "BY", "TITLE", "TEXT", "NOTE"])
    for entry in entries {
      table.add([
        try entry.local, TimeDistance.text(to: try entry.at, from: now),
        try entry.channels.joined(separator: "+"), try entry.title, try entry.body,
        try note(entry),
      ])
    }
    return head + table.text + foot
  }

  private static let moreHint = "There are more; use a higher --limit.\n"

  /// Returns a text such as ": push: the device is gone, email: the mailbox is full"; empty if
  /// there are no obstacles.
  private static func obstacles(
    _ entry: Answer<NotificationPayload>
  ) throws(CommandError) -> String {
    var texts: [String] = []
    for delivery in try entry.deliveries {
      if let obstacle = try delivery.obstacle {
        texts.append("\(try delivery.channel): \(obstacle)")
      }
    }
    return texts.isEmpty ? "" : ": " + texts.joined(separator: ", ").printable
  }

  /// Returns a text such as "unread", "dismissed" or "dropped by quiet_hours, expired".
  private static func note(_ entry: Answer<NotificationPayload>) throws(CommandError) -> String {
    switch try entry.outcome {
    case .dropped: return "dropped by \(try entry.reasons.joined(separator: ", "))"
    case .bundled: return "sent in a digest"
    case .sending: return "being sent"
    case .failed: return "failed" + (try obstacles(entry))
    case .bounced: return "bounced" + (try obstacles(entry))
    case .complained: return "complained about"
    case .accepted, .received:
      if try entry.dismissed { return "dismissed" }
      return try entry.read == false ? "unread" : ""
    }
  }
}
