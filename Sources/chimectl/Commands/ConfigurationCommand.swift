import API
import ArgumentParser
import JSON

/// Shows what the service runs with.
struct ConfigurationCommand: DocumentCommand {
  static let configuration = CommandConfiguration(
    commandName: "configuration", abstract: "Show the configuration in force, but for secrets.",
    discussion: """
      Each setting with its line in the configuration file, or whether it is from the service's \
      command line, its environment, or nowhere. What may hold a secret is dots.
      """)

  @OptionGroup var options: TableOptions

  var path: String { "/v1/configuration" }

  static func text(_ answer: JSONValue) throws(Failure) -> String {
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
