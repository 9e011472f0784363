import Testing

@Suite struct TestFunctionRulesTests {
  private func file(_ text: String) -> ProjectFile {
    ProjectFile("Tests/StoreTests/A.swift", text)
  }

  @Test(arguments: ["testA", "test_a", "test2", "test", "`a day`"])
  func `a function named like a test without the attribute is reported`(name: String) {
    let function = "func \(name)() { #expect(a) }"
    #expect(TestFunctionRules.testsThatNeverRun(in: file(function)).count == 1)
    #expect(TestFunctionRules.testsThatNeverRun(in: file("@Test " + function)) == [])
  }

  @Test(arguments: ["func testimony() {}", "var testDescription: String { a }"])
  func `other names may begin with test`(code: String) {
    #expect(TestFunctionRules.testsThatNeverRun(in: file(code)) == [])
  }

  @Test(arguments: [
    "func firesOnce() { #expect(a == b) }",
    "func firesOnce(days: Int) throws { let a = try #require(b) }",
    "@Suite struct A { @Test func b() { #expect(c) }\n func d() async { Issue.record(e) } }",
  ])
  func `an expectation outside a test or helper is reported`(code: String) {
    let text = "@Test func other() { #expect(x) }\n" + code
    #expect(TestFunctionRules.expectationsOutsideTests(in: file(text)).count == 1)
  }

  @Test(arguments: [
    "@Test(arguments: a) func firesOnce(days: Int) { #expect(b) }",
    "func expectQuiet() { #expect(a) }",
    "func checkInvariants(of a: B) { #expect(c) }",
    "@Test func a() throws { try arrange { b } }\n func arrange(c: D) throws { try #require(c) }",
    "init() throws { a = try #require(b) }",
    "@Test func a() { func same(b: Int) { #expect(b == 1) }\n same(b: 1) }",
    "func arrange() { a() }",
    "@Test func a() { play(b) }\n func play(c: Int) { #expect(c == 1) }",
    "func play(c: Int) { #expect(c == 1) }",
  ])
  func `helpers may have expectations`(code: String) {
    #expect(TestFunctionRules.expectationsOutsideTests(in: file(code)) == [])
  }

  @Test(arguments: [
    "@Test func a() {}", "@Test func a() async throws { try await b() }",
    "@Test func a() { // #expect(b)\n }", "@Test func a() { expectation = 1 }",
  ])
  func `a test without an expectation is reported`(code: String) {
    #expect(TestFunctionRules.testsThatProveNothing(in: file(code)).count == 1)
  }

  @Test(arguments: [
    "@Test func a() { #expect(b) }", "@Test func a() throws { _ = try #require(b) }",
    "@Test func a() { if b { Issue.record(c) } }", "@Test func a() { expectEmpty(b) }",
    "@Test func a() async { await suite.checkAll() }", "func a() {}",
    "@Test func a() async { await confirmation { b($0) } }",
  ])
  func `a test with any expectation is accepted`(code: String) {
    #expect(TestFunctionRules.testsThatProveNothing(in: file(code)) == [])
  }
}
