import API
import ArgumentParser
import CivilTime
import JSON
import NIOHTTP1
import Reminders

/// Shows or changes a recipient's preferences.
struct PreferencesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "preferences",
    abstract: "Show or change a recipient's preferences, and show the effects.",
    discussion: """
      chimectl preferences u1
      chimectl preferences u1 --as-of 2026-03-02T21:00:00Z
      chimectl preferences u1 quietHours.enabled=true quietHours.start=22:00 --dry-run
      chimectl preferences u1 reminders.trials.items.t-17.enabled=false
      chimectl preferences export u1 >u1.json
      chimectl preferences import u1 u1.json
      chimectl preferences presets u1 --apply minimal
      """,
    subcommands: [
      EditPreferencesCommand.self, ExportPreferencesCommand.self, ImportPreferencesCommand.self,
      ResetPreferencesCommand.self, PresetsCommand.self,
    ],
    defaultSubcommand: EditPreferencesCommand.self)

  /// The path of a recipient's preferences.
  static func path(of recipient: String) -> String {
    "/v1/recipients/\(ServiceClient.segment(recipient))/preferences"
  }
}

extension PreferencesCommand {
  /// Returns a text such as "dose of Iron, Zinc": a reminder, and the entities that share a date.
  static func subject(_ reminder: String, _ entities: [String]?) -> String {
    reminder + (entities.map { " of \($0.joined(separator: ", "))" } ?? "")
  }

  /// Describes the effects of a change: a line for each reminder, then the warnings.
  static func text(_ answer: JSONValue) throws(CommandError) -> String {
    let answer = Answer<ConsequencesPayload>(answer)
    var text = try answer.dryRun ? "Nothing was changed. It would change:\n" : "Changed.\n"
    let changes = try answer.changes.changes
    if changes.isEmpty { text += "The pending reminders stay the same.\n" }
    var table = Table()
    for change in changes {
      table.add([
        try change.change.rawValue,
        try subject(change.reminder, change.entities),
        try change.beforeLocal ?? "",
        try change.afterLocal.map { "-> \($0)" } ?? "",
        try change.reasons.joined(separator: ", "),
      ])
    }
    text += table.text
    for warning in try answer.changes.warnings {
      text += "Note: \(warning)\n".printableLines
    }
    return text
  }
}

extension String {
  fileprivate var printableLines: String {
    split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0).printable }.joined(separator: "\n")
  }
}

/// Options of commands that change preferences.
struct ChangeOptions: ParsableArguments {
  @Flag(help: "Only show what would change.")
  var dryRun = false

  @OptionGroup var options: AnswerOptions

  /// Sends a change and prints its effects.
  func carryOut(
    _ method: HTTPMethod, _ path: String, _ document: JSONObject? = nil
  ) async throws {
    let target = path + (dryRun ? "?dryRun=true" : "")
    try await options.show(
      { try await $0.write(method, target, document) }, as: PreferencesCommand.text)
  }
}
