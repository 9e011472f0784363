import ArgumentParser
import JSON
import NIOHTTP1

/// How a change is carried out and told.
struct ChangeOptions: ParsableArguments {
  @Flag(help: "Only say what would change.")
  var dryRun = false

  @Flag(help: "Print the service's JSON.")
  var json = false

  @OptionGroup var connection: ConnectionOptions

  /// Changes something and prints what that changes.
  func carryOut(
    _ method: HTTPMethod, _ path: String, _ document: JSONObject? = nil
  ) async throws {
    let answer = try await connection.withClient {
      try await $0.write(method, path + (dryRun ? "?dryRun=true" : ""), document)
    }
    Console.printOutput(
      json ? JSONWriter.prettyPrinted(answer) + "\n" : try PreferencesCommand.text(answer))
  }
}
