import API
import ArgumentParser
import JSON

/// Erases a recipient.
struct EraseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "erase",
    abstract: "Erase all data of a recipient, permanently.",
    discussion: """
      chimectl erase u1 --yes

      Data already delivered to a sink, such as lines in a file, is not erased.
      """)

  @Argument(help: "The recipient's id.", completion: Completions.recipients)
  var recipient: String

  @Flag(help: "Confirm the erasure, which cannot be undone.")
  var yes = false

  @OptionGroup var options: AnswerOptions

  func validate() throws {
    guard yes else {
      throw ValidationError(
        "Nothing was erased. An erasure cannot be undone: confirm it with --yes. "
          + "\"chimectl export\" shows the data.")
    }
  }

  /// Returns a line that confirms the erasure, and a second one if files still have to be cleaned.
  static func text(of answer: JSONValue) throws(CommandError) -> String {
    let line = "erased \(try Answer<ErasedPayload>(answer).recipient)".printable + "\n"
    guard let remains = try? Answer<RemainingPayload>(answer).remains else { return line }
    let note = "\(remains); chimectl status shows an unfinished erasure until then"
    return line + note.printable + "\n"
  }

  func run() async throws {
    try await reporting {
      let path = "/v1/recipients/\(ServiceClient.segment(recipient))"
      try await options.show({ try await $0.delete(path) }, as: Self.text(of:))
    }
  }
}

/// Exports all data of a recipient.
struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Print all data of a recipient, as JSON.",
    discussion: "chimectl export u1 > u1.json")

  @Argument(help: "The recipient's id.", completion: Completions.recipients)
  var recipient: String

  @Flag(help: "Print the service's JSON, which is also the default.")
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
