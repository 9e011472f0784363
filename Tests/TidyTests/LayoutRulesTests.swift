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

  private func configurationViolations(of paths: [String]) -> [String] {
    let readme = ProjectFile("config/README.md", "# A\n`catalogs`, `manual`, `notes`\n")
    let tree = ProjectTree([readme] + paths.map { ProjectFile($0, "") })
    return LayoutRules.configuration(of: tree).map(\.description)
  }

  @Test func `the README of the configuration explains each entry`() {
    #expect(configurationViolations(of: ["config/catalogs/a.yaml", "config/manual/a.5"]) == [])
    #expect(
      configurationViolations(of: ["config/packaging/control"]) == [
        "config/README.md:1: does not explain `packaging`: add it"
      ])
  }

  @Test func `a configuration needs a README`() {
    let tree = ProjectTree([ProjectFile("config/catalogs/a.yaml", "")])
    #expect(LayoutRules.configuration(of: tree).map(\.path) == ["config/README.md"])
    #expect(LayoutRules.configuration(of: ProjectTree([])) == [])
  }

  @Test func `any other entry of the configuration is reported`() {
    #expect(
      configurationViolations(of: ["config/notes"]) == [
        "config/notes:1: is not in Layout.configuration: move it"
      ])
  }
}
