import API
import ArgumentParser
import JSON

/// Shows the planned notifications of the next days.
struct AheadCommand: DocumentCommand {
  static let configuration = CommandConfiguration(
    commandName: "ahead",
    abstract:
      "Show a recipient's notifications of the next days, as planned from the events so far.")

  @Argument(help: "The recipient's id.", completion: Completions.recipients)
  var recipient: String

  @Option(help: "The number of days, from 1 to 366.")
  var days = 7

  @OptionGroup var past: PastOptions

  @OptionGroup var options: TableOptions

  var path: String {
    "/v1/recipients/\(ServiceClient.segment(recipient))/ahead?days=\(days)" + past.parameter
  }

  static func text(_ document: JSONValue) throws(CommandError) -> String {
    let answer = Answer<TimelinePayload>(document)
    let head = "\(try answer.recipient), \(try answer.zone)".printable + "\n"
    let timeline = try answer.timeline
    let unknown = PastOptions.text(try answer.unknown)
    guard !timeline.isEmpty else { return head + "Nothing is planned.\n" + unknown }
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
    var end = ""
    if document["cut"] == true {
      end = "The list ends at \(try answer.through), because too much is planned.\n"
    }
    return head + strips + table.text + end + unknown
  }
}
