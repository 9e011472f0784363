import CivilTime
import Reminders

/// Finds the rules that a world, a made-up list of events, breaks.
struct Judge {
  let declarations: Declarations
  let rules: RuleSet
  let zones: ZoneDatabase
  /// The words in the catalog's texts that are true only on one date.
  let words: StaleWords
  /// Plays worlds, and caches the plays of the current world.
  var stage: Stage

  init(_ declarations: Declarations, _ rules: RuleSet, _ planner: Planner) {
    (self.declarations, self.rules, zones) = (declarations, rules, planner.zones)
    words = StaleWords(declarations, zone: planner.defaultZone)
    stage = Stage(planner)
  }

  /// Returns all findings of a world. The result depends on the world alone.
  mutating func findings(in world: World) throws -> [Finding] {
    stage.clear()
    return try ProofRule.allCases.flatMap { try findings(of: $0, in: world) }
  }

  /// Returns the findings of one rule.
  mutating func findings(of rule: ProofRule, in world: World) throws -> [Finding] {
    guard rules.isUsed(rule) else { return [] }
    let found: [Finding] =
      switch rule {
      case .dailyLimit: try crowdedDays(in: world)
      case .quietHours: try disturbances(in: world)
      case .independentThings: try connectedThings(in: world)
      case .announced: try unannouncedThings(in: world)
      case .notAfter: try lateLines(in: world)
      case .texts: try wrongTexts(in: world)
      case .alive: []
      case .seriesEnd: try endlessSeries(in: world)
      case .noDoubles: try doubles(in: world)
      case .doneIsQuiet: try linesAfterTheEnd(in: world)
      case .switchesAreExact: try inexactSwitch(in: world)
      }
    // A day is judged without the reminders to which its limit does not apply.
    return rule == .dailyLimit ? found : found.filter { applies($0.rule, to: $0.reminder) }
  }

  /// Returns whether a rule applies to the reminder with this identifier, which may be one that the
  /// catalog does not declare.
  func applies(_ rule: ProofRule, to reminder: String) -> Bool {
    guard let declared = declarations[reminder] else { return rules[rule].isOn }
    return rules.applies(rule, to: reminder, of: declared.category.name)
  }
}
