import CivilTime
import Proving
import Reminders
import Testing

/// A small catalog that is wrong in one way, and its right variant.
struct PlantedFault: Sendable, CustomTestStringConvertible {
  let name: String
  let rule: ProofRule
  /// The reminder that breaks the rule.
  let reminder: String
  /// The catalog, with `FAULT` in place of the part that differs.
  private let text: String
  private let wrong: String
  private let right: String

  init(
    _ name: String, _ rule: ProofRule, _ reminder: String, wrong: String, right: String,
    _ text: String
  ) {
    (self.name, self.rule, self.reminder) = (name, rule, reminder)
    (self.wrong, self.right, self.text) = (wrong, right, text)
  }

  var testDescription: String { name }

  /// The search's worlds in tests, few enough to take half a second.
  static let worldsMax = 120

  func planner(isWrong: Bool) throws -> Planner {
    let text = text.replacing("FAULT", with: isWrong ? wrong : right)
    return try Self.planner([CatalogSource(file: "\(name).yaml", text: "catalog: test\n" + text)])
  }

  func report(isWrong: Bool, seed: UInt64 = 1) throws -> ProofReport {
    var prover = Prover(planner: try planner(isWrong: isWrong), seed: seed)
    return try prover.run(worldsMax: Self.worldsMax)
  }

  static func planner(_ sources: [CatalogSource]) throws -> Planner {
    let zones = try ZoneDatabase(generation: 1)
    return Planner(
      catalog: try Catalog(reading: sources), zones: zones,
      defaultZone: try zones.zone(named: "UTC"))
  }
}
