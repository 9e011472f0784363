import JSON
import Testing

@Suite struct RoundTripTests {
  @Test(arguments: [1, 2, UInt64.random(in: 0...UInt64.max)])
  func `a written value is parsed to the same value`(seed: UInt64) throws {
    let parser = JSONParser()
    var random = RandomJSON(seed: seed)
    for _ in 0..<500 {
      let value = random.value()
      let compact = JSONWriter.compact(value)
      #expect(try parser.parse(compact) == value, "seed \(seed)")
      #expect(try parser.parse(JSONWriter.prettyPrinted(value)) == value, "seed \(seed)")
      let canonical = JSONWriter.canonical(value)
      #expect(JSONWriter.canonical(try parser.parse(canonical)) == canonical, "seed \(seed)")
    }
  }

  /// A damaged document is either rejected with an offset or path, or parsed to a value that can be
  /// written and parsed again.
  @Test(arguments: [1, 2, UInt64.random(in: 0...UInt64.max)])
  func `a damaged document is parsed or rejected with a position`(seed: UInt64) throws {
    let parser = JSONParser()
    var random = RandomJSON(seed: seed)
    for _ in 0..<1000 {
      let text = random.damaged(JSONWriter.compact(.object(random.object(depth: 2))))
      do {
        let value = try parser.parse(text)
        #expect(try parser.parse(JSONWriter.compact(value)) == value, "seed \(seed)")
      } catch {
        let isExplained = error.offset.map { $0 <= text.count } ?? (error.path != nil)
        #expect(isExplained || text.isEmpty, "seed \(seed): \(error)")
      }
    }
  }
}
