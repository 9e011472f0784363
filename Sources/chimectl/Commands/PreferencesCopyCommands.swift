import ArgumentParser
import JSON
import NIOHTTP1

/// Prints all of a recipient's settings, to be kept elsewhere.
struct ExportPreferencesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Print all of a recipient's settings, to be kept elsewhere.")

  @Argument(help: "The recipient's id.", completion: Known.recipients)
  var recipient: String

  @Flag(help: "Print the service's JSON, as it does in any case.")
  var json = false

  @OptionGroup var connection: ConnectionOptions

  func run() async throws {
    try await reporting {
      let path = PreferencesCommand.path(of: recipient) + "/export"
      let document = try await connection.withClient { try await $0.document(path) }
      Console.printJSON(document)
    }
  }
}

/// Brings exported settings back.
struct ImportPreferencesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Bring exported settings back; what they leave out is reset.")

  @Argument(help: "The recipient's id.", completion: Known.recipients)
  var recipient: String

  @Argument(help: "The file with what was exported; - is standard input.")
  var file = "-"

  @OptionGroup var change: ChangeOptions

  func run() async throws {
    try await reporting {
      let document = try Self.document(in: file)
      try await change.carryOut(
        .POST, PreferencesCommand.path(of: recipient) + "/import", document)
    }
  }

  private static func document(in file: String) throws(Failure) -> JSONObject {
    let source = try LineSource(file: file)
    var bytes: [UInt8] = []
    while let group = try source.next() { bytes += group.bytes }
    do {
      guard case .object(let document) = try JSONParser.parse(bytes) else {
        throw Failure(.data, "\(file) does not hold an object", hint: exportHint)
      }
      return document
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure(.data, "\(file) is not JSON: \(error)", hint: exportHint)
    }
  }

  private static let exportHint = "\"chimectl preferences export\" prints what this takes"
}

/// Makes every setting the default.
struct ResetPreferencesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset", abstract: "Make every setting of a recipient the default.")

  @Argument(help: "The recipient's id.", completion: Known.recipients)
  var recipient: String

  @OptionGroup var change: ChangeOptions

  func run() async throws {
    try await reporting {
      try await change.carryOut(.POST, PreferencesCommand.path(of: recipient) + "/reset")
    }
  }
}
