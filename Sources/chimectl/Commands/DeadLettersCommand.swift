import ArgumentParser
import JSON
import NIOHTTP1

/// Shows what could not be delivered, sends it again or throws it away.
struct DeadLettersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deadletters",
    abstract: "Show what no sink could deliver, send it again, or throw it away.",
    subcommands: [ListCommand.self, ResendCommand.self, DiscardCommand.self],
    defaultSubcommand: ListCommand.self)

  /// Shows dead letters.
  struct ListCommand: DocumentCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "Show dead letters, the oldest first.")

    @Option(help: "Only those that this sink had last.")
    var sink: String?

    @Option(help: "How many at most, from 1 to 1000.")
    var limit = 100

    @OptionGroup var options: TableOptions

    var path: String {
      "/v1/deadletters?limit=\(limit)"
        + (sink.map { "&sink=\(ServiceClient.segment($0))" } ?? "")
    }

    static func text(_ document: JSONValue) throws(Failure) -> String {
      let letters = document["deadLetters"]?.arrayValue ?? []
      guard !letters.isEmpty else { return "There are no dead letters.\n" }
      var table = Table(header: ["ID", "RECIPIENT", "REMINDER", "SINK", "ATTEMPTS", "REASON"])
      for letter in letters {
        table.add([
          try letter.text("id"), try letter.text("recipient"), try letter.text("reminder"),
          try letter.text("sink"), "\(letter["attempts"]?.integerValue ?? 0)",
          try letter.text("reason"),
        ])
      }
      let isLast = document["next"]?.isNull ?? true
      return table.text + (isLast ? "" : "There is more; ask for it with a higher --limit.\n")
    }
  }

  /// Which dead letters: one, or all of a sink.
  struct Choice: ParsableArguments {
    @Argument(help: "The id of one, as \"chimectl deadletters list\" shows it.")
    var letter: String?

    @Option(help: "Instead of one: all that this sink had last.")
    var sink: String?

    @Flag(help: "Print the service's JSON; of all of a sink, as one page.")
    var json = false

    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
      guard (letter == nil) != (sink == nil) else {
        throw ValidationError("Give either the id of a dead letter or a --sink.")
      }
    }

    /// Does something with one letter, or with all of a sink page by page, and shows what became of
    /// them; each closure is given what its request has to say of them.
    fileprivate func carryOut(
      one: (ServiceClient, String) async throws(Failure) -> JSONValue,
      page: (ServiceClient, String) async throws(Failure) -> JSONValue
    ) async throws {
      let receipts = try await connection.withClient { client in
        guard let letter else {
          return try await Receipts.all(of: sink ?? "") { query throws(Failure) in
            try await page(client, query)
          }
        }
        return Receipts(try await one(client, ServiceClient.segment(letter)))
      }
      try receipts.print(asJSON: json)
    }
  }

  /// Sends dead letters again.
  struct ResendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "resend",
      abstract: "Send dead letters again, the whole way and through the gates.",
      discussion: """
        chimectl deadletters resend 1x2y3z-17.push
        chimectl deadletters resend --sink webhook
        """)

    @OptionGroup var choice: Choice

    func run() async throws {
      try await reporting {
        try await choice.carryOut { client, letter throws(Failure) in
          try await client.write(.POST, "/v1/deadletters/\(letter)/resend")
        } page: { client, query throws(Failure) in
          try await client.write(.POST, "/v1/deadletter-resends?\(query)")
        }
      }
    }
  }

  /// Throws dead letters away.
  struct DiscardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "discard", abstract: "Throw dead letters away.",
      discussion: """
        chimectl deadletters discard 1x2y3z-17.push
        chimectl deadletters discard --sink webhook
        """)

    @OptionGroup var choice: Choice

    func run() async throws {
      try await reporting {
        try await choice.carryOut { client, letter throws(Failure) in
          try await client.delete("/v1/deadletters/\(letter)")
        } page: { client, query throws(Failure) in
          try await client.delete("/v1/deadletters?\(query)")
        }
      }
    }
  }
}

/// What became of dead letters.
struct Receipts {
  private var letters: [JSONValue]

  init(_ document: JSONValue) {
    letters = document["deadLetters"]?.arrayValue ?? []
  }

  /// Goes through all of a sink, page by page.
  static func all(
    of sink: String, _ write: (String) async throws(Failure) -> JSONValue
  ) async throws(Failure) -> Receipts {
    let query = "sink=\(ServiceClient.segment(sink))&limit=1000"
    var page = try await write(query)
    var receipts = Receipts(page)
    while let next = page["next"]?.stringValue {
      page = try await write(query + "&after=\(ServiceClient.segment(next))")
      receipts.letters += Receipts(page).letters
    }
    return receipts
  }

  /// As the service has them on one page.
  var document: JSONValue { ["deadLetters": .array(letters), "next": nil] }

  func print(asJSON: Bool) throws(Failure) {
    if asJSON { return Console.printJSON(document) }
    Console.printOutput(try text)
  }

  /// "1x2y3z-17.push  held by quiet_hours until 2026-03-02T06:00:00.000Z".
  var text: String {
    get throws(Failure) {
      guard !letters.isEmpty else { return "There are no dead letters.\n" }
      var table = Table()
      for letter in letters { table.add([try letter.text("id"), try Self.outcome(of: letter)]) }
      return table.text
    }
  }

  private static func outcome(of letter: JSONValue) throws(Failure) -> String {
    let outcome = try letter.text("outcome")
    let reasons = (letter["reasons"]?.arrayValue ?? []).compactMap(\.stringValue)
    var text = outcome
    if outcome == "kept" { text = "not sent again, it stays a dead letter:" }
    if outcome == "resent" { text = "sent again by \(try letter.text("sink"))" }
    if outcome == "held" { text = "held until \(try letter.text("until")) by" }
    return reasons.isEmpty ? text : text + " " + reasons.joined(separator: ", ")
  }
}
