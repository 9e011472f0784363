import Testing

/// The identifiers of missing rules are assembled from parts here, so that this file cites none.
@Suite struct ContractRulesTests {
  private let contract = ProjectFile(
    Contract.path, "# Rules\n\n## Time\n\n**T1** One.\n\n**T2** Two.\n\n## Gates\n\n**V1** Order.\n"
  )

  private func unknown(_ text: String, at path: String = "Sources/Store/A.swift") -> [String] {
    ContractRules.citations(in: ProjectTree([contract, ProjectFile(path, text)]))
      .map { "\($0.path):\($0.line)" }
  }

  private func disorder(_ text: String) -> [Int] {
    ContractRules.order(of: ProjectFile(Contract.path, text)).map(\.line)
  }

  @Test(arguments: [
    "/// Kept (rule T1).", "// Rules T1, T2 and V1: all of it.", "/// (rules T1 to T2).",
    "/// Fed while it works (V1).", "/// A rule of thumb, and RFC 9457.", "/// (S3 bucket)",
    "let rule = A(V99)",
  ])
  func `an existing rule may be cited`(text: String) {
    #expect(unknown(text) == [])
  }

  @Test(arguments: [
    "/// Kept (rule T\(3)).", "// Rules T1, V\(2) and T2: all.", "/// (rules T1 to T\(3)).",
    "/// Rule X\(1): it holds.", "/// Fed while it works (V\(2)).", "/// See rules V1 to V\(3).",
  ])
  func `a citation of a missing rule is reported`(text: String) {
    #expect(Set(unknown("let a = 1\n" + text)) == ["Sources/Store/A.swift:2"])
  }

  @Test func `a citation may continue in the next line`() {
    #expect(unknown("  /// It is kept (rule\n  /// T\(3)).") == ["Sources/Store/A.swift:1"])
    #expect(unknown("/// Rules T1 and\n/// V\(2) say so.") == ["Sources/Store/A.swift:1"])
    #expect(unknown("/// It is kept (rule\n/// T2).") == [])
  }

  @Test(arguments: ["config/chimed.yaml", "systemd/chimed.service", "Makefile"])
  func `citations in other files are checked too`(path: String) {
    #expect(unknown("# As rule T\(9) says.", at: path) == ["\(path):1"])
  }

  @Test func `the name of a test cites its rule`() {
    let path = "Tests/StoreTests/A.swift"
    #expect(unknown("@Test func t2ALongNight() { #expect(a) }", at: path) == [])
    #expect(unknown("@Test func t3ALongNight() { #expect(a) }", at: path) == [path + ":1"])
    #expect(unknown("@Test func x3ALongNight() { #expect(a) }", at: path) == [])
    #expect(unknown("@Test func `T2: a long night`() { #expect(a) }", at: path) == [])
    #expect(unknown("@Test func `T3: a long night`() { #expect(a) }", at: path) == [path + ":1"])
    #expect(unknown("@Test func `a night: long`() { #expect(a) }", at: path) == [])
    #expect(unknown("func t3() { #expect(a) }\n@Test func t3rd() { a() }", at: path) == [])
  }

  @Test func `a missing contract is reported`() {
    #expect(ContractRules.citations(in: ProjectTree([])).map(\.path) == [Contract.path])
  }

  @Test func `the rules of a chapter are numbered from 1`() {
    #expect(disorder(contract.text) == [])
    #expect(disorder("**T1** A.\n**T3** B.") == [2])
    #expect(disorder("**T2** A.") == [1])
    #expect(disorder("**T1** A.\n**T1** B.") == [2])
    #expect(disorder("**T1** A.\n**V1** B.\n**T2** C.") == [3])
    #expect(disorder("**T1** A.\n**T2**\n**Word** and **V9**") == [2])
  }

  @Test func `a rule has at most 120 words`() {
    func violations(_ count: Int, after text: String = "") -> [Int] {
      let words = String(repeating: "one two\nthree ", count: count / 3)
      let file = ProjectFile(Contract.path, "# A\n**T1** \(words)\n\(text)**T2** One.\n")
      return ContractRules.lengths(of: file).map(\.line)
    }
    #expect(violations(120) == [])
    #expect(violations(123) == [2])
    #expect(violations(120, after: "\n- one\n\n") == [2])
    #expect(violations(120, after: "\n## Words of another chapter\n\nMore.\n") == [])
  }
}
