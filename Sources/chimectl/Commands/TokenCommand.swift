import API
import ArgumentParser
import CivilTime
import JSON

/// Creates, lists and revokes access tokens.
struct TokenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Create, list and revoke access tokens.",
    subcommands: [CreateCommand.self, ListCommand.self, RevokeCommand.self])

  /// Returns the scope of a token. The text for a token that reports events contains the permitted
  /// types and source.
  static func scope(of token: Answer<TokenPayload>) throws(CommandError) -> String {
    let types = try token.types.map { " types=" + $0.joined(separator: ",") } ?? ""
    let source = try token.source.map { " source=" + $0 } ?? ""
    return try token.scope + types + source
  }

  /// Creates a token.
  struct CreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "create",
      abstract: "Create a token and show it once.",
      discussion: """
        chimectl token create backend --scope admin --for 90d
        chimectl token create app --scope report --types lesson.completed,relapse --source app
        chimectl token create desk --scope support
        chimectl token create prometheus --scope observer --for never
        chimectl token create "phone of u1" --scope recipient:u1

        The scopes: admin may do everything except create tokens; support may do everything \
        about recipients except erase them; observer may see the service's state, but no \
        recipient; report may only send events; recipient:ID may see and change that \
        recipient's own data.

        With the scope report, --types and --source limit the events. Without --types the token \
        may report every type except recipient.deleted, which erases a recipient.

        A token of an app that is valid for more than a day is named in the status and the \
        journal from 14 days before its expiry (or from half its lifetime, if that is later) \
        until 14 days after it, or until the token is revoked.

        Only the token is written to standard output; details go to standard error. Apps send \
        it as "Authorization: Bearer TOKEN".
        """)

    @Argument(help: "A name that identifies the token's owner.")
    var name: String

    @Option(help: "The token's scope: admin, support, observer, report, or recipient:ID.")
    var scope: String

    @Option(
      help: "The types of events that a token with the scope report may send, with commas.",
      completion: Completions.events)
    var types: String?

    @Option(help: "The only source of events that a token with the scope report may send.")
    var source: String?

    @Option(
      name: .customLong("for"),
      help: "How long the token is valid, such as 90d, or \"never\" for no expiry; default: 30d.")
    var lifetime: String?

    @Flag(help: "Print the service's JSON, with the token in it.")
    var json = false

    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
      try await reporting {
        let answer = try await connection.withClient {
          try await $0.post("/v1/tokens", request)
        }
        if json { return Console.printJSON(answer) }
        guard let token = try Answer<TokenPayload>(answer).token?.printable else {
          throw CommandError(lacking: "token")
        }
        Console.printError(try Self.remark(answer))
        Console.printOutput(token + "\n")
      }
    }

    /// The body of the request.
    var request: JSONObject {
      var request: JSONObject = ["name": .string(name), "scope": .string(scope)]
      let types = types?.split(separator: ",", omittingEmptySubsequences: false)
      if let types { request["types"] = .array(types.map { .string(String($0)) }) }
      if let source { request["source"] = .string(source) }
      if let lifetime { request["for"] = .string(lifetime) }
      return request
    }

    static func remark(_ answer: JSONValue) throws(CommandError) -> String {
      let token = Answer<TokenPayload>(answer)
      let validity = try token.expires.map { "expires at \($0)" } ?? "never expires"
      let text = try "token \(token.id), \(TokenCommand.scope(of: token)), \(validity); "
      return (text + "it is shown only once, keep it safe:").printable + "\n"
    }
  }

  /// Lists the tokens.
  struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List tokens, without their secrets.")

    @OptionGroup var options: TableOptions

    func run() async throws {
      try await reporting(options.layout) {
        try await options.answer.show {
          try await $0.joined(TokenPagePayload.self, "/v1/tokens?limit=1000")
        } as: { page throws(CommandError) in
          try Self.text(page)
        }
      }
    }

    static func text(_ page: JSONValue) throws(CommandError) -> String {
      let tokens = try Answer<TokenPagePayload>(page).tokens
      guard !tokens.isEmpty else { return "There are no tokens.\n" }
      var table = Table(
        header: ["ID", "NAME", "SCOPE", "STATUS", "CREATED", "EXPIRES", "LAST USED"])
      for token in tokens {
        table.add([
          try token.id, try token.name, try TokenCommand.scope(of: token), try token.status,
          try token.created.description, try token.expires?.description ?? "never",
          try token.lastUsed?.description ?? "never",
        ])
      }
      return table.text
    }
  }

  /// Revokes a token.
  struct RevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "revoke", abstract: "Revoke a token: it is rejected from then on.",
      discussion: "The other nodes of a fleet reject it within a second.")

    @Argument(help: "The token's id, as chimectl token list shows it.")
    var id: String

    @OptionGroup var options: AnswerOptions

    func run() async throws {
      try await reporting {
        let path = "/v1/tokens/\(ServiceClient.segment(id))"
        try await options.show {
          try await $0.delete(path)
        } as: { answer throws(CommandError) in
          let token = Answer<TokenPayload>(answer)
          let scope = try TokenCommand.scope(of: token)
          return "revoked \(try token.id), \(try token.name), \(scope)".printable + "\n"
        }
      }
    }
  }
}
