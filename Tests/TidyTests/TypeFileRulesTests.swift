import Testing

@Suite struct TypeFileRulesTests {
  private func code(_ declaration: String, lines: Int) -> String {
    declaration + " {\n" + String(repeating: "  let a = 1\n", count: lines - 2) + "}\n"
  }

  private func lines(_ path: String, _ text: String) -> [Int] {
    TypeFileRules.largeTypes(in: ProjectFile(path, text)).map(\.line)
  }

  @Test(arguments: ["struct B", "package final class B", "enum B<C>: D", "actor B", "protocol B"])
  func `a large type in a file of another name is reported`(declaration: String) {
    #expect(lines("Sources/Store/A.swift", "\n" + code(declaration, lines: 51)) == [2])
    #expect(lines("Sources/Store/B.swift", code(declaration, lines: 51)) == [])
    #expect(lines("Sources/Store/B+C.swift", code(declaration, lines: 51)) == [])
  }

  @Test func `a type of 50 lines may be in the file of its topic`() {
    #expect(lines("Sources/Store/A.swift", code("struct B", lines: 50)) == [])
  }

  @Test(arguments: [
    "private struct B", "fileprivate final class B", "extension B", "func b() -> C", "let b = c",
  ])
  func `private types and other declarations may be in any file`(declaration: String) {
    #expect(lines("Sources/Store/A.swift", code(declaration, lines: 51)) == [])
  }

  @Test func `nested types belong to the outer type`() {
    let nested = code("struct A {\n  struct B", lines: 60) + "}\n"
    #expect(lines("Sources/Store/A.swift", nested) == [])
    #expect(lines("Sources/Store/A.swift", "import struct B.C\n" + nested) == [])
  }

  @Test func `each type of a file is found`() {
    let file = ProjectFile(
      "Sources/Store/A.swift", "struct A {}\nextension A {\n  enum B {}\n}\nprivate enum C {}\n")
    #expect(SwiftType.all(in: file.tokens).map(\.name) == ["A", "C"])
    #expect(SwiftType.all(in: file.tokens).map(\.isPrivate) == [false, true])
    #expect(SwiftType.all(in: file.tokens).map(\.firstLine) == [1, 5])
  }

  @Test func `tests are not checked`() {
    #expect(lines("Tests/StoreTests/A.swift", code("struct B", lines: 51)) == [])
  }
}
