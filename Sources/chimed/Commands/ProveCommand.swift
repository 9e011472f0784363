import ArgumentParser
import Foundation
import Reminders
import chimectl

/// Checks catalogs against rules (rule G19).
struct ProveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prove",
    abstract: "Check catalogs against rules, and search for events that break one.",
    discussion: """
      The declarations alone prove some rules. For the others the command makes up people, things, \
      settings and events, plays some days with the planning and the gates of the service, and \
      looks for lines that break a rule. A counterexample is a list of events that chimed simulate \
      plays. A search that finds none is no proof. It exits with 65 if a rule is \
      broken or a file has a mistake.
      """)

  @OptionGroup var proof: ProofOptions

  @Flag(help: "Print the result as JSON.")
  var json = false

  @Argument(help: "The catalogs' names or files, which are loaded together.")
  var catalogs: [String]

  func run() throws {
    ServiceSignals.unblock()
    do {
      let catalog = try CatalogFiles.standard(SettingsFiles()).catalog(catalogs)
      let code = proof.prove(catalog, named: catalogs, isJSON: json)
      if code != 0 { throw ExitCode(code) }
    } catch let errors as CatalogErrors {
      FileHandle.standardError.write(Data("\(errors)\n".utf8))
      throw ExitCode(65)
    }
  }
}
