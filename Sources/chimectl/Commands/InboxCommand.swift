import ArgumentParser
import JSON

/// Shows a recipient's inbox.
struct InboxCommand: DocumentCommand {
  static let configuration = CommandConfiguration(
    commandName: "inbox",
    abstract: "Show the inbox of a recipient, the latest first.",
    discussion: "chimectl inbox u1 --page 2")

  @Argument(help: "The recipient's id.", completion: Known.recipients)
  var recipient: String

  @Option(help: "Which page.")
  var page = 1

  @Option(help: "How many on a page, from 1 to 100.")
  var limit = 20

  @OptionGroup var options: TableOptions

  var path: String {
    let name = ServiceClient.segment(recipient)
    return "/api/notifications?recipient=\(name)&page=\(page)&limit=\(limit)"
  }

  static func text(_ document: JSONValue) throws(Failure) -> String {
    let items = document["data"]?.arrayValue ?? []
    let count = document["meta"]?["totalCount"]?.integerValue ?? 0
    guard !items.isEmpty else {
      return count == 0 ? "The inbox is empty.\n" : "The inbox has no such page.\n"
    }
    var table = Table(header: ["", "TIME", "TYPE", "TEXT"])
    for item in items {
      table.add([
        item["isRead"] == true ? "" : "*", try item.text("createdAt"), try item.text("type"),
        try item.text("displayText"),
      ])
    }
    let (page, pages) = (document["meta"]?["page"], document["meta"]?["totalPages"])
    let foot = "page \(page?.integerValue ?? 1) of \(pages?.integerValue ?? 1), \(count) in all\n"
    return table.text + foot
  }
}
