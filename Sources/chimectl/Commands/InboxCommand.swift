import API
import ArgumentParser
import CivilTime
import JSON

/// Shows a recipient's inbox.
struct InboxCommand: DocumentCommand {
  static let configuration = CommandConfiguration(
    commandName: "inbox",
    abstract: "Show a recipient's inbox, the latest first.",
    discussion: """
      chimectl inbox u1
      chimectl inbox u1 --unread --limit 100
      """)

  @Argument(help: "The recipient's id.", completion: Completions.recipients)
  var recipient: String

  @Flag(help: "Show only unread items.")
  var unread = false

  @Option(help: "The maximum number, from 1 to 1000.")
  var limit = 20

  @OptionGroup var options: TableOptions

  var path: String {
    let name = ServiceClient.segment(recipient)
    return "/v1/recipients/\(name)/inbox?limit=\(limit)" + (unread ? "&unread=true" : "")
  }

  static func text(_ document: JSONValue) throws(CommandError) -> String {
    let page = Answer<InboxPagePayload>(document)
    let (items, count) = (try page.items, try page.count)
    let head = "\(try page.recipient), \(try page.zone)".printable + "\n"
    let foot = try page.next == nil ? "" : "There are more; use a higher --limit.\n"
    guard !items.isEmpty else {
      let text = count == 0 ? "The inbox is empty.\n" : "There is nothing to show.\n"
      return head + text + foot
    }
    var table = Table(header: ["", "LOCAL TIME", "CATEGORY", "TITLE", "TEXT"])
    for item in items {
      table.add([
        try item.read ? "" : "*", try item.local, try item.category, try item.title,
        try item.body,
      ])
    }
    return head + table.text + "\(try page.unread) unread of \(count)\n" + foot
  }
}
