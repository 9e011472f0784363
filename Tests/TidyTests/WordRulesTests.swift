import Testing

@Suite struct WordRulesTests {
  @Test(arguments: ["TO" + "DO", "FIX" + "ME", "XX" + "X"])
  func `marks of unfinished work are reported`(mark: String) {
    let file = ProjectFile("Sources/Store/A.swift", "let a = 1\n// \(mark): later")
    #expect(WordRules.unfinishedMarks(in: file).map(\.line) == [2])
  }

  @Test(arguments: ["mktemp chimed.XXXXXX", "let todo = 1", "AUTO" + "DOC"])
  func `similar words are accepted`(text: String) {
    #expect(WordRules.unfinishedMarks(in: ProjectFile("Makefile", text)) == [])
  }

  @Test(arguments: ["/wo" + "rk/main", "../sha" + "red/a.md", "systemd" + "-lab", "/fa" + "rm/b"])
  func `names from outside the project are reported`(name: String) {
    let file = ProjectFile("README.md", "# A\nSee \(name).")
    #expect(WordRules.outsideNames(in: file).map(\.line) == [2])
  }

  @Test func `ordinary paths are accepted`() {
    let file = ProjectFile("README.md", "/usr/share/chimed, ../Sources, systemd/chimed.service")
    #expect(WordRules.outsideNames(in: file) == [])
  }
}
