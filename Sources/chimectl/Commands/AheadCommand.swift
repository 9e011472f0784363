import API
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
    let answer = Answer<TimelinePayload>(document)
    let head = "\(try answer.recipient), \(try answer.zone)".printable + "\n"
    let timeline = try answer.timeline
    guard !timeline.isEmpty else { return head + "Nothing will be said.\n" }
    let strips = Screen.current.drawsStrips ? try DayStrips(document).text : ""
    var table = Table(header: ["LOCAL TIME", "BY", "TITLE", "REMINDER", "NOTE"])
    for entry in timeline {
      let reasons = try entry.reasons.joined(separator: ", ")
      let verb = try entry.outcome == "dropped" ? "dropped by " : "held by "
      table.add([
        try entry.local, try entry.channels.joined(separator: "+"), try entry.title,
        try entry.reminder, reasons.isEmpty ? "" : verb + reasons,
      ])
    }
    return head + strips + table.text
  }
}
