import Testing

@Suite struct SwiftCodeTests {
  @Test(arguments: [
    ("a // b", "a     "),
    (#"a("b")"#, #"a(" ")"#),
    (#"a("b\"c")"#, #"a("    ")"#),
    (##"a(#"b"c"#)"##, ##"a(#"   "#)"##),
    (##"a(#"""#) b"##, ##"a(#" "#) b"##),
    (#"a("b\(c("d"))e")"#, #"a("  (c(" ")) ")"#),
    ("#expect(a)", "#expect(a)"),
    ("a(#/b\"c/#) d", "a(#/   /#) d"),
    ("a(\"\"\"\n b \"c\"\n \"\"\") d", "a(\"\"\"\n      \n \"\"\") d"),
    ("a(\"\") b(\"\")", "a(\"\") b(\"\")"),
    ("a(\"b\nc", "a(\" \nc"),
  ])
  func `comments and string texts become spaces`(source: String, code: String) {
    #expect(SwiftCode.only(of: source) == code)
  }

  @Test(arguments: ["\"", "\"\\(", "#/", "\"\"\"\n", "\"\\"])
  func `unfinished code is read to its end`(source: String) {
    #expect(SwiftCode.only(of: source).utf8.count == source.utf8.count)
  }

  @Test func `tokens have their lines`() {
    let tokens = Token.all(in: "let `a b` =\n  c.d")
    #expect(tokens.map(\.text) == ["let", "`a b`", "=", "c", ".", "d"])
    #expect(tokens.map(\.line) == [1, 1, 1, 2, 2, 2])
    #expect(tokens.indices.filter(tokens.touchesPrevious(at:)) == [4, 5])
  }
}
