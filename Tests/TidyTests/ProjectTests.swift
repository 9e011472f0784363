import Testing

/// Applies each rule to the project itself.
@Suite struct ProjectTests {
  @Test(arguments: Rule.all)
  func `the project follows the rule`(_ rule: Rule) throws {
    for violation in rule.violations(try ProjectTree.checkout.get()) {
      Issue.record("\(violation)")
    }
  }

  @Test func `the whole checkout is read`() throws {
    let tree = try ProjectTree.checkout.get()
    #expect(tree.file("Package.swift") != nil)
    #expect(tree.paths.contains("Tests/TidyTests/ProjectTests.swift"))
    #expect(tree.paths.contains(".github/CONTRIBUTING.md"))
    #expect(!tree.paths.contains { $0.hasPrefix(".build") || $0.hasPrefix(".git/") })
  }
}
