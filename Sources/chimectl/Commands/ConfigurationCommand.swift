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
    var table = Table(header: ["SETTING", "VALUE", "FROM"])
    for setting in answer["settings"]?.arrayValue ?? [] {
      let line = setting["line"]?.integerValue.map { "line \($0)" }
      let origin = try setting.text("from")
      table.add([
        try setting.text("name"), setting["value"]?.stringValue ?? "••••••", line ?? origin,
      ])
    }
    let file = answer["file"]?.stringValue.map { "\($0.printable)\n\n" } ?? ""
    return file + table.text
  }
}
