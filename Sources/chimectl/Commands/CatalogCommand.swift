import ArgumentParser
import Foundation
import JSON
import Proving
import Reminders

/// Creates and checks catalog files without a service.
struct CatalogCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "catalog", abstract: "Create and check catalog files; needs no service.",
    subcommands: [CheckCommand.self, NewCatalogCommand.self])

  /// Finds all mistakes in catalog files, with the service's own reader.
  struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check",
      abstract: "Find all mistakes in catalog files that are loaded together.")

    @Argument(help: "The files.")
    var files: [String]

    @Flag(help: "Print the result as JSON: catalogs, categories, reminders, remarks; or problems.")
    var json = false

    @Flag(help: "Also check the rules of chimed prove, with the options below.")
    var prove = false

    @OptionGroup(title: "With --prove") var proof: ProofOptions

    func validate() throws {
      guard prove || !proof.isGiven else {
        throw ValidationError("--rules, --seconds, --worlds and --seed need --prove; add it.")
      }
    }

    func run() async throws {
      try await reporting {
        var sources: [CatalogSource] = []
        for file in files { sources.append(try CatalogCommand.source(file)) }
        let catalog: Catalog
        do throws(CatalogErrors) {
          catalog = try Catalog(reading: sources)
        } catch {
          throw show(error.diagnostics)
        }
        let report = prove ? try proof.report(on: catalog) : nil
        show(catalog, report)
        if let failure = report.flatMap(ProofOptions.failure) { throw failure }
      }
    }

    private func show(_ catalog: Catalog, _ report: ProofReport?) {
      let remarks = catalog.missingTexts.map { "\($0)" }
      guard !json else {
        var document: JSONObject = [
          "catalogs": .array(catalog.catalogNames.map { .string($0) }),
          "categories": .integer(Int64(catalog.categories.count)),
          "reminders": .integer(Int64(catalog.reminders.count)),
          "remarks": .array(remarks.map { .string($0) }),
        ]
        if let report { document["proof"] = report.document }
        return Console.printJSON(.object(document))
      }
      for remark in remarks { Console.printOutput("remark: \(remark)".printable + "\n") }
      Console.printOutput(Self.summary(of: catalog) + "\n")
      if let report { Console.printOutput(report.text(catalogs: files)) }
    }

    /// - Returns: the failure to throw.
    private func show(_ mistakes: [Diagnostic]) -> CommandError {
      if json {
        Console.printJSON(["problems": .array(mistakes.map(Self.document))])
      } else {
        for mistake in mistakes { Console.printOutput("\(mistake)".printable + "\n") }
      }
      let count = mistakes.count
      return CommandError(.data, "\(count) \(count == 1 ? "mistake" : "mistakes"); correct them")
    }

    private static func document(_ mistake: Diagnostic) -> JSONValue {
      [
        "file": .string(mistake.file), "line": .integer(Int64(mistake.line)),
        "column": .integer(Int64(mistake.column)), "message": .string(mistake.message),
      ]
    }

    private static func summary(of catalog: Catalog) -> String {
      let names = catalog.catalogNames.joined(separator: ", ")
      return "\(names): valid; \(catalog.categories.count) categories, "
        + "\(catalog.reminders.count) reminders"
    }
  }

  /// Reads a file for a command that checks it.
  static func source(_ file: String) throws(CommandError) -> CatalogSource {
    guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
      throw CommandError(
        .noInput, "\(file) cannot be read as UTF-8 text",
        hint: "check its path and permissions; an editor can save it with the encoding UTF-8")
    }
    return CatalogSource(file: file, text: text)
  }
}
