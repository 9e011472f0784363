import Testing

@Suite struct LayoutRulesTests {
  private let needed = [
    "LICENSE", "Makefile", "Package.swift", "README.md", "Sources/Store/A.swift",
    "Tests/StoreTests/A.swift",
  ]

  private func violations(of paths: [String]) -> [String] {
    LayoutRules.topLevel(of: ProjectTree(paths.map { ProjectFile($0, "") })).map(\.path)
  }

  @Test func `the expected top level is accepted`() {
    let optional = [
      ".gitignore", ".ci/run", ".github/SECURITY.md", "config/catalogs/a.yaml",
      "systemd/chimed.service",
    ]
    #expect(violations(of: needed + optional) == [])
  }

  @Test func `any other entry is reported`() {
    #expect(violations(of: needed + ["notes.txt", "scripts/a.sh"]) == ["notes.txt", "scripts"])
  }

  @Test(arguments: ["LICENSE", "README.md"])
  func `a missing entry is reported`(name: String) {
    #expect(violations(of: needed.filter { $0 != name }) == [name])
  }
}
