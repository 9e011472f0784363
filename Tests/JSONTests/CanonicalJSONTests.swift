import JSON
import Testing

@Suite struct CanonicalJSONTests {
  @Test(arguments: [
    (#"{"a":1,"":2,"ab":3}"#, #"{"":2,"a":1,"ab":3}"#),
    (#"{"b":1,"a":{"d":2,"c":3}}"#, #"{"a":{"c":3,"d":2},"b":1}"#),
    (#"[7.0, -0.0, 1e3, 0.5, 1e300]"#, "[7,0,1000,0.5,1e+300]"),
    ("[9223372036854775807,9223372036854775808]", "[9223372036854775807,9.223372036854776e+18]"),
    (
      #"{"aa":1,"a":2,"":3,"B":4,"\u00e9":5,"e\u0301":6,"\ue000":7,"\ud83c\udf82":8}"#,
      "{\"\":3,\"B\":4,\"a\":2,\"aa\":1,\"e\u{301}\":6,\"\u{e9}\":5,\"\u{e000}\":7,\"🎂\":8}"
    ),
    (#"["\u0041\/", null, true]"#, #"["A/",null,true]"#),
  ])
  func `equal content has one canonical form`(text: String, canonical: String) throws {
    let value = try JSONParser.parse(text)
    #expect(String(decoding: JSONWriter.canonical(value), as: UTF8.self) == canonical)
  }

  @Test(arguments: [1, 2, UInt64.random(in: 0...UInt64.max)])
  func `canonical form and equality ignore the order of members`(seed: UInt64) {
    var random = RandomJSON(seed: seed)
    for _ in 0..<300 {
      let object = random.object(depth: 2)
      var shuffled = JSONObject()
      for member in object.shuffled(using: &random.generator) {
        shuffled[member.key] = member.value
      }
      #expect(shuffled == object, "seed \(seed)")
      #expect(shuffled.hashValue == object.hashValue, "seed \(seed)")
      #expect(
        JSONWriter.canonical(.object(shuffled)) == JSONWriter.canonical(.object(object)),
        "seed \(seed)")
    }
  }
}
