import CivilTime
package import Reminders

/// Checks a catalog against rules: by its declarations, then by a search for worlds that break a
/// rule. A world is a made-up list of events.
package struct Prover {
  private let declarations: Declarations
  private let rules: RuleSet
  private let planner: Planner
  private let seed: UInt64
  private var judge: Judge
  private var writer: WorldWriter
  private var coverage: Coverage
  /// Worlds whose decisions were new, and the reminder that each is about; nil for none.
  private var corpus: [(world: World, target: DeclaredReminder?)] = []
  /// The findings of the search, one for each rule and reminder, in small worlds.
  private var found: [Finding] = []
  /// The lengths of the worlds so far in days; nil before the first.
  private var days: ClosedRange<Int>?
  private var worldCount = 0

  /// The largest number of worlds in the corpus.
  private static let corpusMax = 512

  package init(planner: Planner, rules: RuleSet = RuleSet(), seed: UInt64 = 1) {
    (self.planner, self.rules, self.seed) = (planner, rules, seed)
    declarations = Declarations(planner.catalog)
    judge = Judge(declarations, rules, planner)
    writer = WorldWriter(
      declarations, zones: planner.zones, choices: SeededChoices(seed: seed))
    coverage = Coverage(declarations)
  }

  /// Searches until the number of worlds is reached, or until `isOver` returns true.
  ///
  /// - Parameters:
  ///   - progress: called after each world.
  /// - Throws: `UnfinishedPlan` if a recipient's planning does not end.
  package mutating func run(
    worldsMax: Int, isOver: () -> Bool = { false }, progress: (SearchProgress) -> Void = { _ in }
  ) throws -> ProofReport {
    while worldCount < worldsMax, !isOver() {
      try searchOne(isOver)
      progress(
        SearchProgress(
          worlds: worldCount, decisions: coverage.count, findings: found.count,
          unseen: coverage.targets.count))
    }
    return report
  }

  private mutating func searchOne(_ isOver: () -> Bool) throws {
    let (world, target) = nextWorld()
    worldCount += 1
    days =
      days.map { min($0.lowerBound, world.dayCount)...max($0.upperBound, world.dayCount) }
      ?? world.dayCount...world.dayCount
    let findings = try judge.findings(in: world)
    let isNew = coverage.add(try judge.stage.play(world), of: world)
    let isNewWithoutPreferences = coverage.add(
      try judge.stage.play(world.withoutPreferences), of: world)
    if isNew || isNewWithoutPreferences { remember(world, target) }
    for finding in findings where !found.contains(where: { $0.identity == finding.identity }) {
      var shrinker = Shrinker(judge, finding.identity)
      found.append(try shrinker.smallest(from: world, isOver: isOver) ?? finding)
    }
  }

  /// Returns a variant of a world in the corpus, or a new world. A new world is mostly about a
  /// reminder that has not been sent.
  private mutating func nextWorld() -> (World, DeclaredReminder?) {
    if !corpus.isEmpty, writer.choices.isOne(of: 3) {
      let (world, target) = writer.choices.pick(corpus)
      return (writer.variant(of: world, about: target), target)
    }
    let targets = coverage.targets
    let candidates =
      targets.isEmpty || writer.choices.isOne(of: 3) ? declarations.reminders : targets
    let target = candidates.isEmpty ? nil : writer.choices.pick(candidates)
    return (writer.world(about: target), target)
  }

  private mutating func remember(_ world: World, _ target: DeclaredReminder?) {
    if corpus.count < Self.corpusMax {
      corpus.append((world, target))
    } else {
      corpus[writer.choices.number(below: corpus.count)] = (world, target)
    }
  }

  // MARK: - The result

  private var report: ProofReport {
    let bounds = Bounds(declarations: declarations, rules: rules)
    let texts = SampleTexts(declarations, planner).findings
      .filter { judge.applies($0.rule, to: $0.reminder) }
    let findings =
      found
      + texts.filter { text in
        !found.contains { $0.identity == text.identity }
      } + unseen
    let results = ProofRule.allCases.map { rule in
      let broken = findings.filter { $0.rule == rule }
        .sorted { ($0.reminder, $0.fault) < ($1.reminder, $1.fault) }
      let verdict: ProofReport.Verdict =
        if !rules.isUsed(rule) {
          .off
        } else if !broken.isEmpty {
          .broken(broken.map(Counterexample.init))
        } else if let proof = bounds.proof(of: rule) {
          .proved(proof)
        } else {
          .searched
        }
      return ProofReport.Result(rule: rule, verdict: verdict)
    }
    return ProofReport(
      catalogs: planner.catalog.catalogNames, results: results, worldCount: worldCount,
      days: days ?? 0...0, seed: seed, decisionCount: coverage.count,
      unsent: isLongEnough ? [] : coverage.targets.map(\.name))
  }

  /// Whether the search had enough worlds to expect each reminder in several.
  private var isLongEnough: Bool { worldCount >= 20 * coverage.targets.count }

  /// A finding for each reminder with messages that no world has sent; empty after a short search.
  private var unseen: [Finding] {
    guard isLongEnough else { return [] }
    return coverage.targets.compactMap { declared in
      guard judge.applies(.alive, to: declared.name) else { return nil }
      let subject =
        coverage.hasSentNothing(declared)
        ? "\"\(declared.name)\" was sent in none"
        : "of \"\(declared.name)\", "
          + (coverage.unsent[declared.name] ?? []).sorted().map { "message \($0 + 1)" }
          .joined(separator: ", ") + " was sent in none"
      return Finding(
        rule: .alive, reminder: declared.name, fault: "\(subject) of \(worldCount) worlds",
        world: World(acts: [], until: Instant(milliseconds: 0)))
    }
  }
}

/// The state of a search.
package struct SearchProgress: Sendable {
  /// The number of worlds played so far.
  package let worlds: Int
  /// The number of different decisions seen so far.
  package let decisions: Int
  /// The number of broken rules found so far, counted for each reminder.
  package let findings: Int
  /// The number of reminders with a message that has not been sent yet.
  package let unseen: Int
}
