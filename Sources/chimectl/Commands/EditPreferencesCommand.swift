import API
import ArgumentParser
import JSON

/// Shows a recipient's preferences, or changes them.
struct EditPreferencesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit",
    abstract: "Show or change a recipient's preferences (the default command).",
    discussion: "chimectl preferences edit u1 preset=minimal")

  @Argument(help: "The recipient's id.", completion: Completions.recipients)
  var recipient: String

  @Argument(
    help: ArgumentHelp(
      "The changes: key=value, with dots for nested objects, or key:=JSON.",
      valueName: "key=value"))
  var changes: [String] = []

  @Flag(help: "Only show what would change.")
  var dryRun = false

  @Option(
    help: "The document's format: own, or that of a loaded app catalog (urbannest, wellness).")
  var form = "own"

  @OptionGroup var past: PastOptions

  @OptionGroup var options: AnswerOptions

  func validate() throws {
    if past.asOf != nil, !changes.isEmpty {
      throw ValidationError("--as-of only shows preferences; leave out the changes.")
    }
  }

  func run() async throws {
    try await reporting {
      let path =
        PreferencesCommand.path(of: recipient) + "?form=\(ServiceClient.segment(form))"
        + past.parameter
      guard !changes.isEmpty else {
        let document = try await options.connection.withClient { try await $0.document(path) }
        return Console.printJSON(document)
      }
      let data = try Assignment.data(
        changes.map { text throws(CommandError) in try Assignment(text) })
      let target = path + (dryRun ? "&dryRun=true" : "")
      try await Assignment.advising(changes) {
        try await options.show({ try await $0.patch(target, data) }, as: PreferencesCommand.text)
      }
    }
  }
}
