import Reminders
import Testing

/// Symbols and stable hashes of texts, and reports of collisions.
@Suite struct SymbolTests {
  /// Test vectors of the FNV authors (http://www.isthe.com/chongo/tech/comp/fnv/).
  @Test(
    arguments: [
      ("", 0x811c_9dc5), ("a", 0xe40c_292c), ("foobar", 0xbf9c_f968),
    ] as [(String, UInt32)])
  func `a symbol is the FNV-1a hash of its text`(text: String, code: UInt32) {
    #expect(Symbol(text).code == code)
  }

  @Test(
    arguments: [
      ("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8),
    ] as [(String, UInt64)])
  func `a stable hash is the same on every machine`(text: String, hash: UInt64) {
    #expect(stableHash(text) == hash)
  }

  @Test func `two reminders with equal symbols are rejected`() throws {
    #expect(Symbol("costarring") == Symbol("liquid"))
    let text =
      Fixtures.noteCatalog(reminder: "costarring") + """

          liquid:
            category: NOTE
            group: notes
            every: {day: {at: $time}}
            expires: 1d
            messages: [{title: Note, body: A note.}]
        """
    let error = #expect(throws: CatalogErrors.self) { try Fixtures.read(text) }
    #expect(
      error?.description
        == "test.yaml:14:5: the reminder \"liquid\" is declared twice, or its hash is taken; "
        + "rename it")
  }

  @Test func `two parameters with equal symbols are rejected`() throws {
    let names = try #require(Self.collision(under: "reminders.notes."))
    let text = Fixtures.noteCatalog()
      .replacing("enabled: true,", with: "enabled: true, \(names.0): true, \(names.1): true,")
    let error = #expect(throws: CatalogErrors.self) { try Fixtures.read(text) }
    let message =
      "reminders.notes.\(names.1) is declared twice, or its hash equals another setting's; "
      + "rename it"
    #expect(error?.diagnostics.map(\.message) == [message])
  }

  /// Returns two names whose paths have the same hash. About twenty such pairs exist among 400,000
  /// names.
  private static func collision(under path: String) -> (String, String)? {
    var namesBySymbol: [Symbol: String] = [:]
    for number in 0..<400_000 {
      let name = "p" + String(mixed(UInt64(number)), radix: 36)
      if let other = namesBySymbol.updateValue(name, forKey: Symbol(path + name)) {
        return (other, name)
      }
    }
    return nil
  }
}
