import Testing

/// The project itself, held to each of the rules.
@Suite struct ProjectTests {
  @Test(arguments: Rule.all)
  func keeps(_ rule: Rule) throws {
    for violation in rule.violations(try ProjectTree.checkout.get()) {
      Issue.record("\(violation)")
    }
  }

  @Test func readsTheWholeCheckout() throws {
    let tree = try ProjectTree.checkout.get()
    #expect(tree.file("Package.swift") != nil)
    #expect(tree.paths.contains("Tests/TidyTests/ProjectTests.swift"))
    #expect(tree.paths.contains(".github/CONTRIBUTING.md"))
    #expect(!tree.paths.contains { $0.hasPrefix(".build") || $0.hasPrefix(".git/") })
  }
}
