import API
import ArgumentParser
import CivilTime
import JSON

/// Makes, lists and revokes the tokens that apps bring along.
struct TokenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Make, list and revoke the tokens that let apps in.",
    subcommands: [CreateCommand.self, ListCommand.self, RevokeCommand.self])

  /// Makes a token.
  struct CreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "create",
      abstract: "Make a token and show it, this once.",
      discussion: """
        chimectl token create backend --scope admin --for 90d
        chimectl token create desk --scope support
        chimectl token create prometheus --scope observer
        chimectl token create "phone of u1" --scope recipient:u1

        admin may everything but make tokens; support whatever is about people, but not erase \
        them; an observer sees how the service is and no person; a recipient has what is theirs.

        The token alone is written to standard output, what is said about it to standard error. \
        Apps send it as "Authorization: Bearer TOKEN".
        """)

    @Argument(help: "What to call it, so that one knows later whose it is.")
    var name: String

    @Option(help: "What it lets its bearer do: admin, support, observer, or recipient:ID.")
    var scope: String

    @Option(
      name: .customLong("for"), help: "How long it holds, such as 30d; without end, if absent.")
    var span: String?

    @Flag(help: "Print the service's JSON, with the token in it.")
    var json = false

    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
      try await reporting {
        var request: JSONObject = ["name": .string(name), "scope": .string(scope)]
        if let span { request["for"] = .string(span) }
        let answer = try await connection.withClient {
          try await $0.post("/v1/tokens", request)
        }
        if json { return Console.printJSON(answer) }
        guard let token = try Answer<TokenPayload>(answer).token?.printable else {
          throw Failure(lacking: "token")
        }
        Console.printError(try Self.remark(answer))
        Console.printOutput(token + "\n")
      }
    }

    static func remark(_ answer: JSONValue) throws(Failure) -> String {
      let token = Answer<TokenPayload>(answer)
      let end = try token.expires.map { "until \($0)" } ?? "without end"
      let text = try "token \(token.id), \(token.scope), \(end); "
      return (text + "it is shown this once, keep it safe:").printable + "\n"
    }
  }

  /// Shows what tokens there are.
  struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "Show what tokens there are, but for their secrets.")

    @OptionGroup var options: TableOptions

    func run() async throws {
      try await reporting(options.layout) {
        try await options.answer.show {
          try await $0.joined(TokenPagePayload.self, "/v1/tokens?limit=1000")
        } as: { page throws(Failure) in
          try Self.text(page)
        }
      }
    }

    static func text(_ page: JSONValue) throws(Failure) -> String {
      let tokens = try Answer<TokenPagePayload>(page).tokens
      guard !tokens.isEmpty else { return "There are no tokens.\n" }
      var table = Table(
        header: ["ID", "NAME", "SCOPE", "STATUS", "CREATED", "EXPIRES", "LAST USED"])
      for token in tokens {
        table.add([
          try token.id, try token.name, try token.scope, try token.status,
          try token.created.description, try token.expires?.description ?? "never",
          try token.lastUsed?.description ?? "never",
        ])
      }
      return table.text
    }
  }

  /// Ends a token.
  struct RevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "revoke", abstract: "End a token; from then on it lets nobody in.",
      discussion: "The other nodes of a fleet know of it within a second.")

    @Argument(help: "The token's id, as chimectl token list shows it.")
    var id: String

    @OptionGroup var options: AnswerOptions

    func run() async throws {
      try await reporting {
        let path = "/v1/tokens/\(ServiceClient.segment(id))"
        try await options.show {
          try await $0.delete(path)
        } as: { answer throws(Failure) in
          let token = Answer<TokenPayload>(answer)
          return "revoked \(try token.id), \(try token.name), \(try token.scope)".printable + "\n"
        }
      }
    }
  }
}
