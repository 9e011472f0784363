import Reminders
import Testing

/// Names as hashes, and what happens when two are the same.
@Suite struct SymbolTests {
  /// Vectors of the FNV authors (http://www.isthe.com/chongo/tech/comp/fnv/).
  @Test(
    arguments: [
      ("", 0x811c_9dc5), ("a", 0xe40c_292c), ("foobar", 0xbf9c_f968),
    ] as [(String, UInt32)])
  func aSymbolIsTheFNV1aHashOfItsText(text: String, code: UInt32) {
    #expect(Symbol(text).code == code)
  }

  @Test(
    arguments: [
      ("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8),
    ] as [(String, UInt64)])
  func aStableHashIsTheSameOnEveryMachine(text: String, hash: UInt64) {
    #expect(stableHash(text) == hash)
  }

  @Test func twoRemindersWhoseSymbolsCollideAreRefused() throws {
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

  @Test func twoParametersWhoseSymbolsCollideAreRefused() throws {
    let names = try #require(Self.collision(under: "reminders.notes."))
    let text = Fixtures.noteCatalog()
      .replacing("enabled: true,", with: "enabled: true, \(names.0): true, \(names.1): true,")
    let error = #expect(throws: CatalogErrors.self) { try Fixtures.read(text) }
    let message =
      "reminders.notes.\(names.1) is declared twice, or its hash is taken by another; rename it"
    #expect(error?.diagnostics.map(\.message) == [message])
  }

  /// Two names whose paths have the same hash; among 400,000 there are about twenty such pairs.
  private static func collision(under path: String) -> (String, String)? {
    var seen: [Symbol: String] = [:]
    for number in 0..<400_000 {
      let name = "p" + String(mixed(UInt64(number)), radix: 36)
      if let other = seen.updateValue(name, forKey: Symbol(path + name)) { return (other, name) }
    }
    return nil
  }
}
