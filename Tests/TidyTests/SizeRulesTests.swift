import Testing

@Suite struct SizeRulesTests {
  private func lines(_ count: Int) -> String {
    String(repeating: "let a = 1\n", count: count)
  }

  @Test func `a line may have 100 columns`() {
    let fits = String(repeating: "ä", count: 100)
    #expect(SizeRules.longLines(in: ProjectFile("Sources/Store/A.swift", fits)) == [])
    let tooLong = ProjectFile("Makefile", "\n\(fits)a\n")
    #expect(SizeRules.longLines(in: tooLong).map(\.line) == [2])
  }

  @Test func `lines of documents have no limit`() {
    let text = String(repeating: "a", count: 200)
    #expect(SizeRules.longLines(in: ProjectFile("README.md", text)) == [])
  }

  @Test(arguments: [("Sources/Store/A.swift", 600), ("Tests/StoreTests/A.swift", 600)])
  func `a file has a maximum number of lines`(path: String, maximum: Int) {
    #expect(SizeRules.longFiles(in: ProjectFile(path, lines(maximum))) == [])
    #expect(SizeRules.longFiles(in: ProjectFile(path, lines(maximum + 1))).count == 1)
  }

  @Test func `a function may have 70 lines`() {
    let fits = ProjectFile("Sources/Store/A.swift", "func a() {\n\(lines(68))}\n")
    #expect(SizeRules.longFunctions(in: fits) == [])
    let tooLong = ProjectFile("Sources/Store/A.swift", "\nfunc a() {\n\(lines(69))}\n")
    #expect(SizeRules.longFunctions(in: tooLong).map(\.line) == [2])
  }
}
