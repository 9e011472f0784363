import API
import ArgumentParser
import JSON

/// Removes a recipient.
struct EraseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "erase",
    abstract: "Remove everything that is held of a recipient, for good.",
    discussion: """
      chimectl erase u1 --yes

      What has been handed to a sink, such as the lines of a file, is not the service's any more.
      """)

  @Argument(help: "The recipient's id.", completion: Known.recipients)
  var recipient: String

  @Flag(help: "Yes, remove them: there is no way back.")
  var yes = false

  @OptionGroup var options: AnswerOptions

  func validate() throws {
    guard yes else {
      throw ValidationError(
        "Nothing was removed: there is no way back, so say --yes. "
          + "\"chimectl export\" shows what would go.")
    }
  }

  /// A line, and another if files have still to be cleaned.
  static func text(of answer: JSONValue) throws(Failure) -> String {
    let line = "erased \(try Answer<ErasedPayload>(answer).recipient)".printable + "\n"
    guard let remains = try? Answer<RemainingPayload>(answer).remains else { return line }
    return line + "\(remains); chimectl status shows an open erasure until then".printable + "\n"
  }

  func run() async throws {
    try await reporting {
      let path = "/v1/recipients/\(ServiceClient.segment(recipient))"
      try await options.show({ try await $0.delete(path) }, as: Self.text(of:))
    }
  }
}

/// Shows everything that is held of a recipient.
struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Print everything that is held of a recipient, as JSON.",
    discussion: "chimectl export u1 > u1.json")

  @Argument(help: "The recipient's id.", completion: Known.recipients)
  var recipient: String

  @Flag(help: "Print the service's JSON, as it does in any case.")
  var json = false

  @OptionGroup var connection: ConnectionOptions

  func run() async throws {
    try await reporting {
      let path = "/v1/recipients/\(ServiceClient.segment(recipient))/export"
      let document = try await connection.withClient { try await $0.document(path) }
      Console.printJSON(document)
    }
  }
}
