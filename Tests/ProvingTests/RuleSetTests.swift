import Proving
import Reminders
import Testing

/// Rule G19: a file of rules is read strictly, and changes what is checked.
@Suite struct RuleSetTests {
  private func planner() throws -> Planner {
    try PlantedFault.all[0].planner(isWrong: true)
  }

  private func ruleSet(_ text: String) throws -> RuleSet {
    try RuleSet(
      reading: CatalogSource(file: "rules.yaml", text: text), for: planner().catalog)
  }

  private func verdict(of rules: String) throws -> [String] {
    var prover = Prover(planner: try planner(), rules: try ruleSet(rules))
    return try prover.run(worldsMax: 60).counterexamples.map(\.rule.rawValue)
  }

  @Test(arguments: [
    (
      "rules: {daily-limits: true}",
      "rules.yaml:1:9: there is no rule \"daily-limits\"; did you mean \"daily-limit\"?"
    ),
    ("rules:\n  texts: 3", "rules.yaml:2:10: \"texts\" must be true, false or a mapping"),
    ("rules:\n  daily-limit: {n: none}", "rules.yaml:2:20: \"n\" must be a whole number"),
    ("rules:\n  daily-limit: {n: 0}", "rules.yaml:2:20: \"n\" must be from 1 to 1000; it is 0"),
    ("rules: {texts: {n: 3}}", "rules.yaml:1:17: the rule \"texts\" has no \"n\""),
    (
      "rules:\n  daily-limit:\n    n: {pusch: 3}",
      "rules.yaml:3:9: \"pusch\" is not a channel; did you mean \"push\"?"
    ),
    (
      "rules: {texts: {for: {walter: false}}}",
      "rules.yaml:1:23: no catalog declares a reminder or category \"walter\"; did you mean"
    ),
    ("rules: {texts: {for: {water: 3}}}", "rules.yaml:1:30: \"water\" must be true or false"),
    ("rules: {announced: {notice: 3}}", "rules.yaml:1:29: \"notice\" must be a duration"),
    ("rule: {}", "rules.yaml:1:1: a file of rules has no \"rule\"; did you mean \"rules\"?"),
    ("", "rules.yaml: the file is empty"),
  ])
  func `G19: a mistake in a file of rules is reported with line and column`(
    text: String, message: String
  ) {
    let error = #expect(throws: CatalogErrors.self) { try ruleSet(text) }
    let lines = error?.diagnostics.map(\.description) ?? []
    #expect(lines.contains { $0.hasPrefix(message) }, "\(lines)")
  }

  @Test(arguments: [
    "daily-limit: false", "daily-limit: {n: 13}", "daily-limit: {n: {push: 13}}",
    "daily-limit: {for: {water: false}}", "daily-limit: {for: {WATER: false}}",
  ])
  func `G19: a file of rules switches a rule off or raises its limit`(rule: String) throws {
    #expect(try verdict(of: "rules: {\(rule)}") == [])
  }

  @Test(arguments: [
    "daily-limit: {n: 12}", "daily-limit: {n: {push: 12}}",
    "daily-limit: {n: 99, for: {WATER: 12}}", "texts: false",
  ])
  func `G19: a rule with a lower limit is broken`(rule: String) throws {
    #expect(Set(try verdict(of: "rules: {\(rule)}")) == ["daily-limit"])
  }

  @Test func `G19: a rule that is off is reported as off`() throws {
    let rules = try ruleSet("rules: {daily-limit: false}")
    var prover = Prover(planner: try planner(), rules: rules)
    let report = try prover.run(worldsMax: 5)
    let text = report.text(catalogs: [])
    #expect(text.contains("off       daily-limit"))
    #expect(text.contains("searched 5 worlds of"))
  }

  /// Eight other reminders are sent on the same days.
  @Test func `G19: an exempt reminder neither counts nor hides others`() throws {
    let others = (1...8).map { number in
      """
        r\(number):
          category: A
          group: a
          every: {day: {at: "1\(number):00"}}
          expires: 1h
          messages: [{title: "\(number)", body: b}]
      """
    }
    let text = """
      catalog: test
      categories: {A: {title: A, channels: {push: true}}}
      groups: {a: {enabled: true}}
      reminders:
        water:
          category: A
          group: a
          every: {day: {at: ["08:00", "08:30", "09:00", "09:30", "10:00"]}}
          expires: 20m
          messages: [{title: Water, body: b}]
      \(others.joined(separator: "\n"))
      """
    let planner = try PlantedFault.planner([CatalogSource(file: "test.yaml", text: text)])
    for (limit, isBroken) in [(7, true), (8, false)] {
      let rules = try RuleSet(
        reading: CatalogSource(
          file: "rules.yaml",
          text: "rules: {daily-limit: {n: \(limit), for: {water: false}}, alive: false}"),
        for: planner.catalog)
      var prover = Prover(planner: planner, rules: rules)
      let rulesBroken = try prover.run(worldsMax: 60).counterexamples.map(\.rule)
      #expect(rulesBroken.contains(.dailyLimit) == isBroken)
    }
  }

  @Test(arguments: [
    "categories: {}\nreminders: {}",
    """
    events:
      score.set:
        score: {number: [-9223372036854775808, 9223372036854775807], keep: highest}
    categories: {A: {title: A, channels: {push: true}}}
    groups: {a: {enabled: true}}
    reminders:
      score:
        category: A
        group: a
        after: {event: score.set, highest: score, delay: 1h}
        expires: 1h
        messages: [{title: A score, body: b}]
    """,
  ])
  func `G19: unusual catalogs are searched`(text: String) throws {
    let source = CatalogSource(file: "test.yaml", text: "catalog: test\n" + text)
    var prover = Prover(planner: try PlantedFault.planner([source]))
    #expect(try prover.run(worldsMax: 50).counterexamples.isEmpty)
  }
}
