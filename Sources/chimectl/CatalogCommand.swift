import ArgumentParser
import Foundation
import Reminders

/// Works on catalog files; needs no service.
struct CatalogCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "catalog", abstract: "Work on catalog files; needs no service.",
    subcommands: [CheckCommand.self])

  /// Finds every mistake in catalog files, as the service would.
  struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check",
      abstract: "Find every mistake in catalog files that are to be loaded together.")

    @Argument(help: "The files.")
    var files: [String]

    func run() async throws {
      try await reporting {
        var sources: [CatalogSource] = []
        for file in files { sources.append(try Self.source(file)) }
        Console.printOutput(try Self.summary(of: sources))
      }
    }

    private static func source(_ file: String) throws(Failure) -> CatalogSource {
      guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
        throw Failure(.noInput, "\(file) cannot be read as UTF-8 text")
      }
      return CatalogSource(file: file, text: text)
    }

    static func summary(of sources: [CatalogSource]) throws(Failure) -> String {
      do {
        let catalog = try Catalog(reading: sources)
        let names = catalog.names.joined(separator: ", ")
        return "\(names): sound; \(catalog.categories.count) categories, "
          + "\(catalog.reminders.count) reminders\n"
      } catch {
        for diagnostic in error.diagnostics { Console.printOutput("\(diagnostic)\n") }
        let count = error.diagnostics.count
        throw Failure(.data, "\(count) \(count == 1 ? "mistake" : "mistakes"); nothing is loaded")
      }
    }
  }
}
