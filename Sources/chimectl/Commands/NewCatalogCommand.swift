import ArgumentParser
import JSON

/// Writes a starter catalog.
struct NewCatalogCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new", abstract: "Write a catalog with comments and examples, to begin with.",
    discussion: """
      Without a file, the catalog is printed. An existing file is never changed.
      """)

  @Argument(help: "The name of the catalog: letters, digits, hyphens and underscores.")
  var name: String

  @Argument(help: "The file to create, such as NAME.yaml.")
  var file: String?

  @Flag(help: "Print the result as JSON: catalog, and file or text.")
  var json = false

  func run() async throws {
    try await reporting {
      guard let catalog = StarterCatalog(name: name) else {
        throw CommandError(
          .usage, "\"\(name)\" is not a name of a catalog",
          hint: "use 1 to 64 letters, digits, hyphens and underscores, such as my-reminders")
      }
      guard let path = file else { return show(catalog) }
      let file = try NewFile(path)
      try file.write(catalog.text.utf8)
      try file.finish(mode: 0o644)
      guard !json else {
        return Console.printJSON(["catalog": .string(name), "file": .string(path)])
      }
      Console.printOutput("\(path) is written; check it with: chimectl catalog check \(path)\n")
    }
  }

  private func show(_ catalog: StarterCatalog) {
    guard json else { return Console.printOutput(catalog.text) }
    Console.printJSON(["catalog": .string(name), "text": .string(catalog.text)])
  }
}
