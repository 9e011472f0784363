import ArgumentParser
import JSON
import NIOHTTP1

/// Exports a recipient's settings.
struct ExportPreferencesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Print all settings of a recipient, for a later import.")

  @Argument(help: "The recipient's id.", completion: Completions.recipients)
  var recipient: String

  @Flag(help: "Print the service's JSON, which is also the default.")
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

/// Imports exported settings.
struct ImportPreferencesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Import exported settings; missing ones are reset.")

  @Argument(help: "The recipient's id.", completion: Completions.recipients)
  var recipient: String

  @Argument(help: "The exported file; - is standard input.")
  var file = "-"

  @OptionGroup var change: ChangeOptions

  func run() async throws {
    try await reporting {
      let document = try Self.document(in: file)
      try await change.carryOut(
        .POST, PreferencesCommand.path(of: recipient) + "/import", document)
    }
  }

  private static func document(in file: String) throws(CommandError) -> JSONObject {
    let source = try LineSource(file: file)
    var bytes: [UInt8] = []
    while let group = try source.next() { bytes += group.bytes }
    do {
      guard case .object(let document) = try JSONParser.parse(bytes) else {
        throw CommandError(.data, "\(file) is not a JSON object", hint: exportHint)
      }
      return document
    } catch let failure as CommandError {
      throw failure
    } catch {
      throw CommandError(.data, "\(file) is not JSON: \(error)", hint: exportHint)
    }
  }

  private static let exportHint = "\"chimectl preferences export\" prints a valid file"
}

/// Resets all settings to their defaults.
struct ResetPreferencesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset", abstract: "Reset all settings of a recipient to the defaults.")

  @Argument(help: "The recipient's id.", completion: Completions.recipients)
  var recipient: String

  @OptionGroup var change: ChangeOptions

  func run() async throws {
    try await reporting {
      try await change.carryOut(.POST, PreferencesCommand.path(of: recipient) + "/reset")
    }
  }
}
