package import ArgumentParser
import CivilTime
import Proving
package import Reminders

/// The options of a check of catalogs against rules, and the check itself.
package struct ProofOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A YAML file that switches rules off and sets their limits.", valueName: "file"))
  package var rules: String?

  @Option(help: "How long the search may take.")
  package var seconds = Self.secondsDefault

  @Option(help: "The number of worlds to search. Default: as many as the time allows.")
  package var worlds: Int?

  @Option(help: "The number from which all choices of the search follow.")
  package var seed = Self.seedDefault

  private static let secondsDefault = 60
  private static let seedDefault: UInt64 = 1

  package init() {}

  /// Whether an option has another value than its default.
  var isGiven: Bool {
    rules != nil || worlds != nil || seconds != Self.secondsDefault || seed != Self.seedDefault
  }

  package mutating func validate() throws {
    guard (1...86_400).contains(seconds) else {
      throw ValidationError("--seconds must be from 1 to 86400; it is \(seconds).")
    }
    guard worlds.map({ $0 > 0 }) ?? true else {
      throw ValidationError("--worlds must be above 0; omit it to search until --seconds are over.")
    }
  }

  /// Checks a catalog and shows the progress on a terminal.
  ///
  /// - Throws: `CommandError` if the rules cannot be read or are wrong, or if the search fails.
  func report(on catalog: Catalog) throws(CommandError) -> ProofReport {
    let rules = try ruleSet(for: catalog)
    let end = ContinuousClock.now + .seconds(seconds)
    let progress = Progress()
    defer { progress.clear() }
    do {
      let zones = try ZoneDatabase(generation: 1)
      let planner = Planner(
        catalog: catalog, zones: zones, defaultZone: try zones.zone(named: "UTC"))
      var prover = Prover(planner: planner, rules: rules, seed: seed)
      let show = { (state: SearchProgress) in
        progress.show(
          "\(state.worlds) worlds, \(state.decisions) decisions, \(state.unseen) reminders to see, "
            + "\(state.findings) findings")
      }
      return try prover.run(
        worldsMax: worlds ?? .max, isOver: { ContinuousClock.now >= end }, progress: show)
    } catch {
      throw CommandError(.software, "\(error)")
    }
  }

  private func ruleSet(for catalog: Catalog) throws(CommandError) -> RuleSet {
    guard let rules else { return RuleSet() }
    let source = try CatalogCommand.source(rules)
    do throws(CatalogErrors) {
      return try RuleSet(reading: source, for: catalog)
    } catch {
      throw CommandError(.data, error.description, hint: "correct the file of rules")
    }
  }
}

extension ProofOptions {
  /// Checks a catalog and prints the result.
  ///
  /// - Parameter arguments: the names or files by which the command found the catalogs.
  /// - Returns: the exit code: 0, or that of the error.
  package func prove(_ catalog: Catalog, named arguments: [String], isJSON: Bool) -> Int32 {
    do throws(CommandError) {
      let report = try report(on: catalog)
      if isJSON {
        Console.printJSON(report.document)
      } else {
        Console.printOutput(report.text(catalogs: arguments))
      }
      if let failure = Self.failure(of: report) { throw failure }
      return 0
    } catch {
      Console.printError(error.text)
      return error.code.rawValue
    }
  }

  /// Returns the error of a report with counterexamples; nil if there are none.
  static func failure(of report: ProofReport) -> CommandError? {
    let count = report.counterexamples.count
    guard count > 0 else { return nil }
    return CommandError(
      .data, "\(count) \(count == 1 ? "counterexample" : "counterexamples")",
      hint: "correct the catalog, or switch rules off in a file for --rules")
  }
}
