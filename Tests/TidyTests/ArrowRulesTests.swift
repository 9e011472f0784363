import Testing

@Suite struct ArrowRulesTests {
  @Test(arguments: [
    ("TimerWheel", "import Reminders"), ("Reminders", "package import Store"),
    ("Store", "@preconcurrency import Outbox"), ("chimectl", "import struct Engine.Engine"),
    ("Outbox", "import Engine"), ("CivilTime", "import JSON"),
  ])
  func `an import that the layout does not allow is reported`(target: String, code: String) {
    let file = ProjectFile("Sources/\(target)/A.swift", "import GRDB\n\(code)\n")
    #expect(ArrowRules.imports(in: file).map(\.line) == [2])
  }

  @Test(arguments: [
    ("Reminders", "package import CivilTime"), ("Store", "import GRDB"), ("chimed", "import API"),
    ("Engine", "import Systemd"), ("Systemd", "import CSystemd"), ("JSON", "// import Store"),
  ])
  func `an import that the layout allows is accepted`(target: String, code: String) {
    let file = ProjectFile("Sources/\(target)/A.swift", code)
    #expect(ArrowRules.imports(in: file) == [])
  }

  @Test func `tests may import any module`() {
    let file = ProjectFile("Tests/RemindersTests/A.swift", "import Store")
    #expect(ArrowRules.imports(in: file) == [])
  }

  @Test func `the layout has no cycle`() {
    var remaining = Layout.arrows
    while let leaf = remaining.first(where: { $0.value.isEmpty })?.key {
      remaining[leaf] = nil
      for target in remaining.keys { remaining[target]?.remove(leaf) }
    }
    #expect(remaining.isEmpty)
  }

  @Test func `a module for other packages depends on no C code of the project`() {
    var modules = Layout.products
    while true {
      let next = modules.union(modules.flatMap { Layout.arrows[$0] ?? [] })
      if next == modules { break }
      modules = next
    }
    #expect(modules == ["ChimedClient", "EventStreams"])
  }

  @Test func `pure targets may not import Foundation`() {
    let core = ProjectFile("Sources/Reminders/A.swift", "import Foundation")
    #expect(ArrowRules.foundationInPureTargets(in: core).count == 1)
    let edge = ProjectFile("Sources/Delivery/A.swift", "import Foundation")
    #expect(ArrowRules.foundationInPureTargets(in: edge) == [])
  }

  private func violations(manifest: String, code: [String]) -> [String] {
    let files = [ProjectFile("Package.swift", manifest)] + code.map { ProjectFile($0, "") }
    return ArrowRules.directoriesAreTargets(in: ProjectTree(files)).map(\.path)
  }

  @Test func `each directory of code needs a target`() {
    let code = [
      "Sources/Store/module.modulemap", "Tests/StoreTests/B.swift", "Tests/StoreTests/c.json",
    ]
    let manifest = "  module(\"Store\", uses: [a]),\n  .testTarget(name: \"StoreTests\"),"
    #expect(violations(manifest: manifest, code: code) == [])
    #expect(violations(manifest: "", code: code) == ["Sources/Store", "Tests/StoreTests"])
  }

  @Test func `a product or comment does not declare a target`() {
    let manifest = "  .executable(name: \"chimed\", targets: [a]),\n  // program(\"chimed\")"
    #expect(violations(manifest: manifest, code: ["Sources/chimed/A.swift"]) == ["Sources/chimed"])
  }

  @Test func `a directory may be a separate package`() {
    let code = ["Tests/Load/Package.swift", "Tests/Load/Sources/A.swift", "Tests/Data/a.json"]
    #expect(violations(manifest: "", code: code) == [])
  }

  @Test func `each target needs an entry in the layout`() {
    let code = ["Sources/Utilities/A.swift"]
    #expect(violations(manifest: "module(\"Utilities\")", code: code) == ["Sources/Utilities"])
  }
}
