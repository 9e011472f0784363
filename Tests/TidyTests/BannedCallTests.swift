import Testing

@Suite struct BannedCallTests {
  private func lines(_ path: String, _ text: String) -> [Int] {
    BannedCall.violations(in: ProjectFile(path, text)).map(\.line)
  }

  @Test(arguments: [
    "fatalError(\"\\(a)\")", "public struct A {}",
    "public import B", "let a = TimeZone(identifier: b)", "Foundation.Calendar.current.date(b)",
    "Calendar(identifier: .gregorian)", "func a(_: DateComponents) {}", "\"\\(TimeZone.current)\"",
    "Calendar.RecurrenceRule.daily(calendar: a)", "print(a)", "Swift.print(a)",
  ])
  func `banned calls in sources are reported`(code: String) {
    #expect(lines("Sources/Engine/A.swift", "import B\n\(code)\n").first == 2)
  }

  @Test(arguments: [
    "// print( that", "let a = \"print(b)\"", "a.fatalError(b)",
    "let a: Access = .public", "let a = LocalTimeZone(b)", "a.print(b)", "func print(_ a: Int) {}",
    "let a = Trigger.Calendar(b)", "let a = clock.now", "ContinuousClock().now",
  ])
  func `code that only resembles a banned call is accepted`(code: String) {
    #expect(lines("Sources/Engine/A.swift", code) == [])
  }

  @Test(arguments: [
    "let a = Date()", "let a = Date.now", "let a: B = .now", "a(b, .now)", "a(.now)",
    "ContinuousClock().now",
    "var a = SystemRandomNumberGenerator()", "UUID().uuidString", "Int.random(in: 0..<9)",
    "a.shuffled()", "a.randomElement()",
  ])
  func `pure targets may use neither clocks nor random numbers`(code: String) {
    #expect(!lines("Sources/Fleet/A.swift", code).isEmpty)
    #expect(lines("Sources/Engine/A.swift", code) == [])
  }

  @Test(arguments: [
    "let a = b.now", "let a = b().now", "LocalDate(b)", "Int.random(in: 0..<9, using: &a)",
    "a.shuffled(using: &b)",
  ])
  func `pure targets may take an instant or generator as an argument`(code: String) {
    #expect(lines("Sources/Reminders/A.swift", code) == [])
  }

  @Test func `the core may not be asynchronous`() {
    let code = "func a() async { await b() }"
    #expect(lines("Sources/Reminders/A.swift", code) == [1, 1])
    #expect(lines("Sources/Engine/A.swift", code) == [])
  }

  @Test func `programs may print`() {
    #expect(lines("Sources/chimectl/A.swift", "print(a)") == [])
    #expect(lines("Sources/ChimedClient/A.swift", "public struct A {}") == [])
    #expect(lines("Sources/Store/A.swift", "print(a)") == [1])
  }

  @Test func `only modules for other packages may use Foundation's dates`() {
    #expect(lines("Sources/Reminders/A.swift", "var a: DateComponents") == [1])
    #expect(lines("Sources/chimed/A.swift", "let a = Calendar(b)") == [1])
    #expect(lines("Sources/ChimedClient/A.swift", "let a = Calendar(b)") == [])
  }

  @Test(arguments: ["Task", "Thread"])
  func `tests may not sleep`(type: String) {
    let code = "try await \(type).sleep(for: .seconds(1))"
    #expect(lines("Tests/EngineTests/A.swift", code) == [1])
    #expect(lines("Sources/Engine/A.swift", code) == [])
    #expect(lines("Tests/EngineTests/A.swift", "try await clock.sleep(until: a)") == [])
  }

  @Test func `a violation names the code to use instead`() throws {
    let file = ProjectFile("Sources/Store/A.swift", "\nfatalError(b)")
    let violation = try #require(BannedCall.violations(in: file).first)
    #expect(
      violation.description
        == "Sources/Store/A.swift:2: `fatalError(` is banned here: throw an error that describes "
        + "the fault")
  }
}
