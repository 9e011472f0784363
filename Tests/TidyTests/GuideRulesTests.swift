import Testing

@Suite struct GuideRulesTests {
  private func lines(_ guide: String) -> [Int] {
    let code = ProjectFile("Sources/Store/A.swift", "struct Lane {}\npackage enum Gates {}")
    let tree = ProjectTree([
      code, ProjectFile(GuideRules.path, guide), ProjectFile("Package.swift", ""),
    ])
    return GuideRules.names(in: tree).map(\.line)
  }

  @Test func `an existing name is accepted`() {
    let paths = "`Sources/Store/A.swift`, `Sources/Store/`, `Sources/*/B.swift`, `Package.swift`"
    #expect(lines("`Lane`, `Gates.decide`, `Store`, \(paths)") == [])
  }

  @Test func `a text that is not a name of the project is accepted`() {
    #expect(lines("`make test`, `lane`, `SIGHUP on`, `PRAGMA x`, `/v1/events`, Lanes") == [])
  }

  @Test func `a name that no longer exists is reported`() {
    #expect(lines("`Lane`\n`Wheel`\n`Gate.decide`\n`Sources/Store/B.swift`") == [2, 3, 4])
  }

  @Test(arguments: [(40, []), (42, [45, 46])])
  func `a glossary has at most 40 words`(count: Int, lines: [Int]) {
    let heading = [GuideRules.glossary, "| word | meaning |", "| --- | --- |"]
    let words = Array(repeating: "| a | b |", count: count)
    let guide = ProjectFile(
      GuideRules.path, (["# Guide"] + heading + words).joined(separator: "\n"))
    #expect(GuideRules.glossarySize(in: guide).map(\.line) == lines)
  }
}
