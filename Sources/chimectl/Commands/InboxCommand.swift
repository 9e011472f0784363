import API
import ArgumentParser
import CivilTime
import JSON

/// Shows a recipient's inbox.
struct InboxCommand: DocumentCommand {
  static let configuration = CommandConfiguration(
    commandName: "inbox",
    abstract: "Show a recipient's inbox, the latest first.",
    discussion: "chimectl inbox u1 --page 2")

  @Argument(help: "The recipient's id.", completion: Known.recipients)
  var recipient: String

  @Option(help: "The page to show, from 1.")
  var page = 1

  @Option(help: "The number of items on a page, from 1 to 100.")
  var limit = 20

  @OptionGroup var options: TableOptions

  var path: String {
    let name = ServiceClient.segment(recipient)
    return "/api/notifications?recipient=\(name)&page=\(page)&limit=\(limit)"
  }

  static func text(_ document: JSONValue) throws(CommandError) -> String {
    let answer = Answer<InboxPagePayload>(document)
    let (items, meta) = (try answer.data, try answer.meta)
    let count = try meta.totalCount
    guard !items.isEmpty else {
      return count == 0 ? "The inbox is empty.\n" : "The inbox has no such page.\n"
    }
    var table = Table(header: ["", "TIME", "TYPE", "TEXT"])
    for item in items {
      table.add([
        try item.isRead ? "" : "*", try item.createdAt.description, try item.type,
        try item.displayText,
      ])
    }
    return table.text + "page \(try meta.page) of \(try meta.totalPages), \(count) in total\n"
  }
}
