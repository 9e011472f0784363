import JSON
import Testing

@Suite struct DuplicateKeyTests {
  @Test(arguments: [
    (#"{"id":1,"id":1}"#, "id"),
    (#"{"data":{"timezone":"a","locale":"b","timezone":"c"}}"#, "data.timezone"),
    (#"{"items":[{},{"x":1},[{"id":1,"id":2}]]}"#, "items[2][0].id"),
    (#"{"a":[1],"b":{"a":1},"a":2.5}"#, "a"),
    (#"{"a":{"x":[{"y":2}]},"a":2}"#, "a"),
    (#"{"a b":{"":1,"":2}}"#, #"["a b"][""]"#),
    (#"[{"k":1.5,"l":-3,"\u006b":{}}]"#, "[0].k"),
    (#"{"quo\"te":1,"quo\"te":1}"#, #"["quo\"te"]"#),
  ])
  func `a duplicate key is rejected with its path`(text: String, path: String) {
    let error = #expect(throws: JSONError.self) { try JSONParser.parse(text) }
    #expect(error?.path == path)
    #expect(error?.description == "\(path) is given twice")
  }

  @Test func `keys that only look alike are different`() throws {
    let value = try JSONParser.parse(#"{"\u00e9":1,"e\u0301":2,"K":3,"\u212a":4,"k":5,"":6}"#)
    #expect(value["\u{e9}"] == 1)
    #expect(value["e\u{301}"] == 2)
    #expect(value["K"] == 3)
    #expect(value["\u{212a}"] == 4)
  }

  @Test func `the same key at different levels is allowed`() throws {
    let text = #"{"a":{"a":[{"a":1},{"a":2}]},"b":{"a":3}}"#
    #expect(try JSONParser.parse(text).description == text)
  }

  @Test(arguments: [15, 16, 17, 5000])
  func `a duplicate key is found at any position`(count: Int) throws {
    let keys = (0..<count).map { "\"key\($0)\":[\($0)]" }
    #expect(try JSONParser.parse("{\(keys.joined(separator: ","))}").objectValue?.count == count)
    for (duplicate, index) in [(0, count), (count - 1, 0), (count / 2, count / 3), (7, 8)] {
      var keys = keys
      keys.insert("\"key\(duplicate)\":null", at: index)
      let error = #expect(throws: JSONError.self) {
        try JSONParser.parse("{\(keys.joined(separator: ","))}")
      }
      #expect(error?.path == "key\(duplicate)")
    }
  }

  @Test func `a long key is shortened in the error`() {
    let key = String(repeating: "k", count: 100_000)
    let error = #expect(throws: JSONError.self) {
      try JSONParser.parse("{\"\(key)\":1,\"\(key)\":2}")
    }
    #expect(error?.path == "[\"\(key.prefix(60))…\"]")
  }
}
