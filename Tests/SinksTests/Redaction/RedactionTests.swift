import Cryptography
import Sinks
import TestSupport
import Testing

/// Removal of secrets from answers in which a server repeats them.
@Suite struct RedactionTests {
  private static let token = "123:AA+b/c=="
  /// Characters for which each encoding has a rule.
  private static let signs = "a&<b>\"'c\\/d é\u{1F600}`~!*()"

  private func redacted(_ text: String, _ secrets: String...) -> String {
    Redaction(secrets.map { Secret($0) }).applied(to: text)
  }

  @Test(arguments: [
    (token, token), (token, "123%3AAA%2Bb%2Fc%3D%3D"), (token, "123%3aAA%2bb%2fc%3d%3d"),
    (token, #"123:AA+b\/c\u003d\u003d"#), (token, #"123:AA\u002Bb/c=="#),
    (token, #"123\u003AAA\u002bb\u002Fc=\u003D"#), (token, "123&#58;AA&#43;b&#47;c&#61;&#061;"),
    (token, "123&#x3A;AA&#X2b;b&#x2F;c&#x3d;&#x003D;"), (token, "123%3AAA\\u002Bb&#x2f;c=%3D"),
    (token, #"123\\u003aAA+b\\\/c=="#), (token, "123:aa+B/C=="),
    (signs, signs), (signs, "a&<b>\\\"'c\\\\/d é\u{1F600}`~!*()"),
    (signs, #"a\u0026\u003cb\u003e\u0022\u0027c\\\/d\u0020\u00e9\ud83d\uDE00\u0060~!*()"#),
    (signs, "a%26%3Cb%3E%22'c%5C%2Fd%20%C3%A9%F0%9F%98%80%60~!*()"),
    (signs, "a%26%3cb%3e%22%27c%5c%2fd+%c3%a9%f0%9f%98%80%60%7e%21%2a%28%29"),
    (signs, "a&amp;&lt;b&gt;&quot;&#39;c\\/d é&#128512;`~!*()"),
    (signs, #"a&amp;&lt;b&gt;\&quot;&apos;c\\\/d &#xe9;&#x1F600;&#96;~!*()"#),
    ("one\ntwo\tthree", #"one\ntwo\tthree"#), ("one\ntwo\tthree", "one two%09three"),
    (#"a\u003d\"#, #"a\\u003d\\"#), ("100%25", "100%2525"), ("a+b c", "a%2Bb+c"),
    ("&amp;", "&amp;amp;"), ("\u{1F600}", #"\\ud83d\\ude00"#), ("ß Ä", "ß ä"),
  ])
  func `a secret is hidden in every encoding`(secret: String, form: String) {
    let stars = String(repeating: "*", count: form.unicodeScalars.count)
    #expect(redacted("<\(form)> and \(form).", secret) == "<\(stars)> and \(stars).")
  }

  @Test(arguments: [
    (["XY", "aaXYbb", "YXY"], "<aaXYbb> XYXY aXYY", "<******> **** a**Y"),
    (["ya29", "ya29.b/c"], "ya29.b%2Fc ya29", "********** ****"),
    (["b c", "ab"], "ab+c", "****"), (["x"], "ax &#120;", "a* ******"),
    (["key", ""], "a key", "a ***"), ([], "a key", "a key"), (["key"], "", ""),
    (["longer than the text"], "longer", "longer"), (["aa"], "aaa", "***"),
  ])
  func `all secrets are found before any is replaced`(
    secrets: [String], text: String, expected: String
  ) {
    #expect(Redaction(secrets.map { Secret($0) }).applied(to: text) == expected)
    #expect(Redaction(secrets.reversed().map { Secret($0) }).applied(to: text) == expected)
  }

  @Test(arguments: [
    "50% off, AT&T &c. +1", "123:AA+", "123:AA+b/c=.", #"\"#, "%", "%3", "%F0%9F", "&", "&;", "&#;",
    "&#x;", "&#xD800;", "&#99999999999;", "&amp", #"\u00"#, #"\ud83d"#, #"\ud83d\u0041"#,
    #"\\\\\\\\\\"#,
  ])
  func `other text stays`(text: String) {
    #expect(redacted(text, Self.token, "\u{1F600}") == text)
  }

  /// Only the beginning of an answer is read, and the server may cut off what it repeats.
  @Test(arguments: [
    ("bad 123:AA+b/c=", "bad ***********"), (#"bad 123:AA\u002bb"#, "bad *************"),
    ("123:AA+", "123:AA+"), ("123:AA+b/c=", "***********"), ("123:AA+b%2", "********%2"),
    (#"123:AA+b/\u00"#, #"*********\u00"#), ("123:AA+b&", "********&"),
  ])
  func `a secret that is cut off is hidden as far as it goes`(text: String, expected: String) {
    #expect(redacted(text, Self.token) == expected)
  }

  @Test func `every mixture of encodings is hidden`() {
    let seed = UInt64.random(in: 0...UInt64(UInt32.max))
    print("mixtures of encodings have the seed \(seed)")
    var random = SplitMix64(seed: seed)
    for _ in 0..<500 {
      let form = Self.signs.unicodeScalars.map { Self.encoded($0, &random) }.joined()
      let stars = String(repeating: "*", count: form.unicodeScalars.count)
      #expect(redacted("<\(form)>", Self.signs) == "<\(stars)>", "\(form)")
    }
  }

  /// Encodes a character in one of the forms that exist for every character.
  private static func encoded(_ scalar: Unicode.Scalar, _ random: inout SplitMix64) -> String {
    let text = String(scalar)
    let forms = [
      text, "\\" + text, "&#\(scalar.value);", "&#x\(String(scalar.value, radix: 16));",
      text.utf8.map { "%" + digits($0, 2) }.joined(),
      text.utf16.map { "\\u" + digits($0, 4) }.joined(),
    ]
    return forms.randomElement(using: &random) ?? text
  }

  private static func digits(_ number: some BinaryInteger, _ count: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: count - digits.count) + digits
  }

  /// Each sign has two readings, so the whole text has far more readings than can be tried.
  @Test(.timeLimit(.minutes(1)), arguments: [#"\"#, "%25", "&amp;"])
  func `many possible readings take less than a minute`(sign: String) {
    let text = String(repeating: sign, count: 400)
    let secret = String(repeating: sign, count: 150)
    #expect(redacted(text, secret).allSatisfy { $0 == "*" })
    let end = ", and that is all"
    #expect(redacted(text + end, secret + "x") == text + end)
  }
}
