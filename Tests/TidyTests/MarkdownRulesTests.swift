import Testing

@Suite struct MarkdownRulesTests {
  private func titleViolations(_ text: String) -> [Int] {
    MarkdownRules.oneTitle(in: ProjectFile("README.md", text)).map(\.line)
  }

  @Test func `a document has one title`() {
    #expect(titleViolations("# A\n\n## B\n\n```sh\n# a comment\n```\n") == [])
    #expect(titleViolations("## B\n") == [1])
    #expect(titleViolations("# A\n\n# B\n") == [3])
  }

  private func brokenLinks(_ text: String) -> [Int] {
    let tree = ProjectTree([
      ProjectFile("README.md", text),
      ProjectFile("config/catalogs/a.yaml", ""),
      ProjectFile("config/guide.md", "# Guide\n## The `make` targets, all\n## Twice\n## Twice\n"),
    ])
    return MarkdownRules.brokenLinks(in: tree).map(\.line)
  }

  @Test(arguments: [
    "[a](config/catalogs/a.yaml)", "[a](config/catalogs)", "[a](./config/guide.md#guide)",
    "[a](config/guide.md#the-make-targets-all)", "[a](config/guide.md#twice-1)", "[a](#a)",
    "[a](https://example.org/none)", "`[a](none)`", "```\n[a](none)\n```", "[a]: config/guide.md",
    "[a](<config/guide.md> \"title\")",
  ])
  func `a link to an existing target is accepted`(link: String) {
    #expect(brokenLinks("# A\n\(link)\n") == [])
  }

  @Test(arguments: [
    "[a](none.md)", "[a](config/guide.md#none)", "[a](#none)", "![a](none.png)", "[a]: none.md",
    "[a](../README.md)", "[a](config/catalogs/a.yaml#L10)", "[![a](config)](none.md)",
  ])
  func `a link to a missing target is reported`(link: String) {
    #expect(brokenLinks("# A\n\(link)\n") == [2])
  }

  @Test func `links are relative to their file`() {
    let tree = ProjectTree([
      ProjectFile("README.md", "# A"),
      ProjectFile("config/guide.md", "# B\n[a](../README.md#a)\n[b](README.md)"),
    ])
    #expect(MarkdownRules.brokenLinks(in: tree).map(\.line) == [3])
  }
}
