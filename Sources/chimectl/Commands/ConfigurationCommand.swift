import API
import ArgumentParser
import JSON

/// Shows the service's current configuration.
struct ConfigurationCommand: DocumentCommand {
  static let configuration = CommandConfiguration(
    commandName: "configuration", abstract: "Show the current configuration, without secrets.",
    discussion: """
      FROM is the line that sets the value in the configuration file, or else its origin: the \
      service's command line, its environment, or the default. Possible secrets are shown as dots.
      """)

  @OptionGroup var options: TableOptions

  var path: String { "/v1/configuration" }

  static func text(_ answer: JSONValue) throws(CommandError) -> String {
    let answer = Answer<ConfigurationPayload>(answer)
    var table = Table(header: ["SETTING", "VALUE", "FROM"])
    for setting in try answer.settings {
      let line = try setting.line.map { "line \($0)" }
      let origin = try setting.from.rawValue
      table.add([try setting.name, try setting.value ?? "••••••", line ?? origin])
    }
    let file = try answer.file.map { "\($0.printable)\n\n" } ?? ""
    return file + table.text
  }
}
