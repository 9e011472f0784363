import JSON
import Testing

@Suite struct RoundTripTests {
  @Test(arguments: [1, 2, UInt64.random(in: 0...UInt64.max)])
  func whatIsWrittenReadsBack(seed: UInt64) throws {
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

  /// Whatever is done to a document, it is either refused with a place or path, or read as
  /// something that can be written and read again.
  @Test(arguments: [1, 2, UInt64.random(in: 0...UInt64.max)])
  func aDamagedDocumentIsUnderstoodOrExplained(seed: UInt64) throws {
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
