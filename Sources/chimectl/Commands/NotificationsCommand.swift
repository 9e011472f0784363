import ArgumentParser
import CivilTime
import JSON

/// Shows what a recipient was told.
struct NotificationsCommand: DocumentCommand {
  static let configuration = CommandConfiguration(
    commandName: "notifications",
    abstract: "Show what a recipient was told, the latest first.",
    discussion: """
      chimectl notifications u1
      chimectl notifications u1 --search "trial ends" --part all --outcome any
      """)

  @Argument(help: "The recipient's id.", completion: Known.recipients)
  var recipient: String

  @Option(help: "Words that are all in the title or the text.")
  var search: String?

  @Option(help: "recent (not dismissed), dismissed or all.")
  var part = "recent"

  @Option(help: "delivered, sending, failed, dropped, bundled or any.")
  var outcome = "delivered"

  @Option(help: "How many at most, from 1 to 1000.")
  var limit = 20

  @OptionGroup var options: TableOptions

  var path: String {
    var path = "/v1/recipients/\(ServiceClient.segment(recipient))/notifications?limit=\(limit)"
    path += "&part=\(ServiceClient.segment(part))&outcome=\(ServiceClient.segment(outcome))"
    if let search { path += "&q=\(ServiceClient.segment(search))" }
    return path
  }

  static func text(_ document: JSONValue) throws(Failure) -> String {
    let head = try "\(document.text("recipient")), \(document.text("zone"))".printable + "\n"
    let entries = document["notifications"]?.arrayValue ?? []
    let isLast = document["next"]?.isNull ?? true
    guard !entries.isEmpty else {
      let message = document["message"]?.stringValue ?? "There is nothing to show."
      return head + message.printable + "\n" + (isLast ? "" : more)
    }
    let now = try document.instant("now")
    var table = Table(header: ["LOCAL TIME", "WHEN", "BY", "TITLE", "TEXT", "NOTE"])
    for entry in entries {
      table.add([
        try entry.text("local"), Countdown.text(to: try entry.instant("at"), from: now),
        entry.texts("channels").joined(separator: "+"), try entry.text("title"),
        try entry.text("body"), try note(entry),
      ])
    }
    return head + table.text + (isLast ? "" : more)
  }

  private static let more = "There is more; ask for it with a higher --limit, or by --json.\n"

  /// ": push: the device is gone".
  private static func obstacles(_ entry: JSONValue) -> String {
    (entry["deliveries"]?.arrayValue ?? []).compactMap { delivery in
      guard let channel = delivery["channel"]?.stringValue,
        let obstacle = delivery["obstacle"]?.stringValue
      else { return nil }
      return ": \(channel): \(obstacle)"
    }.joined(separator: ", ").printable
  }

  /// "unread", "dismissed", "dropped by quiet_hours, expired".
  private static func note(_ entry: JSONValue) throws(Failure) -> String {
    let outcome = try entry.text("outcome")
    let reasons = entry.texts("reasons").joined(separator: ", ")
    if outcome == "dropped" { return "dropped by \(reasons)" }
    if outcome == "bundled" { return "told of in a digest" }
    if outcome == "sending" { return "on its way" }
    if outcome == "failed" { return "failed" + obstacles(entry) }
    if entry["dismissed"] == true { return "dismissed" }
    return entry["read"] == false ? "unread" : ""
  }
}

extension JSONValue {
  /// The texts of a list.
  fileprivate func texts(_ name: String) -> [String] {
    (self[name]?.arrayValue ?? []).compactMap(\.stringValue)
  }
}
