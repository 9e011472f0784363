import API
import ArgumentParser
import CivilTime
import JSON
import NIOHTTP1

/// Lists, resends or discards undeliverable notifications.
struct DeadLettersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deadletters",
    abstract: "List dead letters, which no sink could deliver; resend or discard them.",
    subcommands: [
      ListCommand.self, GroupsCommand.self, ResendCommand.self, DiscardCommand.self,
    ],
    defaultSubcommand: ListCommand.self)

  /// Lists dead letters.
  struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List dead letters, the oldest first.")

    @OptionGroup var filter: DeadLetterFilter

    @Option(help: "The maximum number, from 1 to 1000.")
    var limit = 100

    @OptionGroup var options: TableOptions

    func run() async throws {
      try await reporting(options.layout) {
        try await options.answer.show(
          { client in
            let page = try await letters(by: client.document)
            try await filter.checkSink(of: page, by: client.document)
            return page
          }, as: { page throws(CommandError) in try Self.text(page, else: filter.emptyMessage) })
      }
    }

    /// Requests as many pages as needed, because one request scans only a limited number of dead
    /// letters.
    func letters(
      by fetch: (String) async throws(CommandError) -> JSONValue
    ) async throws(CommandError) -> JSONValue {
      try await DeadLetterPagePayload.joined(atMost: limit) { cursor, count throws(CommandError) in
        var query = ["limit=\(limit - count)"] + filter.queryParameters
        if let cursor { query.append("after=\(ServiceClient.segment(cursor))") }
        return try await fetch("/v1/deadletters?" + query.joined(separator: "&"))
      }
    }

    static func text(
      _ document: JSONValue, else emptyMessage: String
    ) throws(CommandError) -> String {
      let page = Answer<DeadLetterPagePayload>(document)
      let letters = try page.deadLetters
      guard !letters.isEmpty else { return emptyMessage }
      var table = Table(header: ["ID", "RECIPIENT", "REMINDER", "SINK", "ATTEMPTS", "REASON"])
      for letter in letters {
        table.add([
          try letter.id, try letter.recipient, try letter.reminder, try letter.sink,
          "\(try letter.attempts)", try letter.reason,
        ])
      }
      let isLast = try page.next == nil
      return table.text + (isLast ? "" : "There are more; use a higher --limit.\n")
    }
  }

  /// Counts dead letters by a common property.
  struct GroupsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "groups", abstract: "Count dead letters by a common property.",
      discussion: """
        chimectl deadletters groups
        chimectl deadletters groups --by recipient --reason "no such address"
        """)

    @Option(help: "The property to group by.")
    var by = DeadLetterProperty.reason

    @OptionGroup var filter: DeadLetterFilter

    @Flag(help: "Print the service's JSON.")
    var json = false

    @OptionGroup var layout: LayoutOptions

    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
      try await reporting(layout) {
        let path =
          "/v1/deadletter-groups?"
          + (["by=\(by.rawValue)"] + filter.queryParameters).joined(separator: "&")
        let document = try await connection.withClient { client in
          let document = try await client.document(path)
          try await filter.checkSink(of: document, by: client.document)
          return document
        }
        if json { return Console.printJSON(document) }
        Console.printOutput(try Self.text(document, else: filter.emptyMessage))
      }
    }

    static func text(
      _ document: JSONValue, else emptyMessage: String
    ) throws(CommandError) -> String {
      let answer = Answer<DeadLetterGroupsPayload>(document)
      let groups = try answer.groups
      guard !groups.isEmpty else { return emptyMessage }
      var table = Table(header: ["LETTERS", "EXPIRED", try answer.by.uppercased()])
      for group in groups {
        table.add([
          "\(try group.count.letters)", "\(try group.count.expired)", try group.name,
        ])
      }
      let (isComplete, count) = (try answer.whole, try answer.total.letters)
      return table.text + (isComplete ? "" : "The first \(count) were counted; there are more.\n")
    }
  }

  /// Selects one dead letter by its id, or all dead letters that match a filter.
  struct DeadLetterSelection: ParsableArguments {
    @Argument(help: "The id of a dead letter, as \"chimectl deadletters list\" shows it.")
    var letter: String?

    @OptionGroup var filter: DeadLetterFilter

    @Flag(help: "Print the service's JSON; several pages as one.")
    var json = false

    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
      guard (letter == nil) != filter.queryParameters.isEmpty else {
        throw ValidationError(
          "Give either the id of a dead letter, or at least one of --sink, --recipient, "
            + "--category and --reason.")
      }
    }

    /// Applies a request to one dead letter, or to all selected ones page by page, and prints the
    /// outcomes. `one` receives the id as a segment of a path; `page` receives the query of a page.
    fileprivate func apply(
      one: (ServiceClient, String) async throws(CommandError) -> JSONValue,
      page: (ServiceClient, String) async throws(CommandError) -> JSONValue
    ) async throws {
      let query = (filter.queryParameters + ["limit=1000"]).joined(separator: "&")
      let receipt = try await connection.withClient { client in
        if let letter { return try await one(client, ServiceClient.segment(letter)) }
        let receipt = try await DeadLetterReceiptPayload.joined { cursor, _ throws(CommandError) in
          let cursorParameter = cursor.map { "&after=" + ServiceClient.segment($0) } ?? ""
          return try await page(client, query + cursorParameter)
        }
        try await filter.checkSink(of: receipt, by: client.document)
        return receipt
      }
      if json { return Console.printJSON(receipt) }
      Console.printOutput(try DeadLetterReport.text(receipt, else: filter.emptyMessage))
    }
  }

  /// Sends dead letters again.
  struct ResendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "resend",
      abstract: "Send dead letters again, through the gates and all sinks of the route.",
      discussion: """
        chimectl deadletters resend 1x2y3z-17.push
        chimectl deadletters resend --reason "https://example.org: 503 Service Unavailable"
        """)

    @OptionGroup var selection: DeadLetterSelection

    func run() async throws {
      try await reporting {
        try await selection.apply { client, letter throws(CommandError) in
          try await client.write(.POST, "/v1/deadletters/\(letter)/resend")
        } page: { client, query throws(CommandError) in
          try await client.write(.POST, "/v1/deadletter-resends?\(query)")
        }
      }
    }
  }

  /// Discards dead letters.
  struct DiscardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "discard", abstract: "Delete dead letters.",
      discussion: """
        chimectl deadletters discard 1x2y3z-17.push
        chimectl deadletters discard --sink webhook
        chimectl deadletters discard --recipient u1 --category LESSON
        """)

    @OptionGroup var selection: DeadLetterSelection

    func run() async throws {
      try await reporting {
        try await selection.apply { client, letter throws(CommandError) in
          try await client.delete("/v1/deadletters/\(letter)")
        } page: { client, query throws(CommandError) in
          try await client.delete("/v1/deadletters?\(query)")
        }
      }
    }
  }
}

/// The outcomes of resent or discarded dead letters, as a table.
enum DeadLetterReport {
  /// Returns a text such as "1x2y3z-17.push  held until 2026-03-02T06:00:00.000Z by quiet_hours".
  static func text(
    _ document: JSONValue, else emptyMessage: String
  ) throws(CommandError) -> String {
    let letters = try Answer<DeadLetterReceiptPayload>(document).deadLetters
    guard !letters.isEmpty else { return emptyMessage }
    var table = Table()
    for letter in letters { table.add([try letter.id, try outcome(of: letter)]) }
    return table.text
  }

  private static func outcome(
    of letter: Answer<LetterOutcomePayload>
  ) throws(CommandError) -> String {
    let outcome = try letter.outcome
    let reasons = try letter.reasons ?? []
    var text = outcome
    if outcome == "kept" { text = "not sent again, remains a dead letter:" }
    if outcome == "resent" { text = "sent again to \(try letter.sink ?? "")" }
    if outcome == "held" { text = "held until \(try letter.until?.description ?? "") by" }
    return reasons.isEmpty ? text : text + " " + reasons.joined(separator: ", ")
  }
}
