import ArgumentParser
import JSON

/// Shows what the next days will bring.
struct AheadCommand: DocumentCommand {
  static let configuration = CommandConfiguration(
    commandName: "ahead",
    abstract: "Show what a recipient will be told in the next days if nothing else is reported.")

  @Argument(help: "The recipient's id.", completion: Known.recipients)
  var recipient: String

  @Option(help: "How many days, from 1 to 366.")
  var days = 7

  @OptionGroup var options: TableOptions

  var path: String { "/v1/recipients/\(ServiceClient.segment(recipient))/ahead?days=\(days)" }

  static func text(_ document: JSONValue) throws(Failure) -> String {
    let head = try "\(document.text("recipient")), \(document.text("zone"))".printable + "\n"
    let timeline = document["timeline"]?.arrayValue ?? []
    guard !timeline.isEmpty else { return head + "Nothing will be said.\n" }
    let strips = Screen.current.drawsStrips ? try DayStrips(document).text : ""
    var table = Table(header: ["LOCAL TIME", "BY", "TITLE", "REMINDER", "NOTE"])
    for entry in timeline {
      let reasons = (entry["reasons"]?.arrayValue ?? []).compactMap(\.stringValue)
      let channels = (entry["channels"]?.arrayValue ?? []).compactMap(\.stringValue)
      let verb = try entry.text("outcome") == "dropped" ? "dropped by " : "held by "
      table.add([
        try entry.text("local"), channels.joined(separator: "+"), try entry.text("title"),
        try entry.text("reminder"),
        reasons.isEmpty ? "" : verb + reasons.joined(separator: ", "),
      ])
    }
    return head + strips + table.text
  }
}
