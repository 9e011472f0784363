import Testing

@Suite struct SwiftFunctionTests {
  private func functions(in text: String) -> [SwiftFunction] {
    ProjectFile("Sources/Store/A.swift", text).functions
  }

  @Test func `the extent of a body is found`() {
    let list = functions(
      in: """
        struct A {
          func b(
            c: () -> Void = {}
          ) async throws(D) {
            if "}".isEmpty { e() }  // }
          }
          var f: Int { 1 }
          init?() { self.init(1) }
        }
        """)
    #expect(list.map(\.name) == ["b", "f", "init"])
    #expect(list.map(\.firstLine) == [2, 7, 8])
    #expect(list.map(\.lineCount) == [5, 1, 1])
  }

  @Test func `requirements and stored properties have no body`() {
    let list = functions(
      in: """
        protocol A {
          func b() throws
          static func c(d: [Int]) -> Int
          init(e: Int)
        }
        var f = 1
        if f == 1 { g() }
        let h = G.init(1) { i }
        """)
    #expect(list.isEmpty)
  }

  @Test(arguments: [
    "@Test func a() {}",
    "@Test(\"with (a) name\", arguments: [(1, 2)])\n  func a() {}",
    "@Test @MainActor private static func a() {}",
    "@available(macOS 15, *) @Test() mutating func a() {}",
  ])
  func `the attribute Test is recognized`(source: String) {
    #expect(functions(in: source).map(\.isTest) == [true])
  }

  @Test func `the attributes of another declaration do not count`() {
    let list = functions(in: "@Test func a() {}\nfunc b() {}\n@Test var c = d(1)\nfunc e() {}")
    #expect(list.filter(\.isTest).map(\.name) == ["a"])
  }
}
