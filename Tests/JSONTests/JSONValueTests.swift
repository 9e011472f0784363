import JSON
import Testing

@Suite struct JSONValueTests {
  @Test func `subscripts find members and elements`() {
    let value: JSONValue = ["a": [1, ["b": "c"]], "d": nil]
    #expect(value["a"]?[1]?["b"] == "c")
    #expect(value["d"]?.isNull == true)
    #expect(value["x"] == nil)
    #expect(value["a"]?["b"] == nil)
    #expect(value["a"]?[2] == nil)
    #expect(value["a"]?[-1] == nil)
    #expect(value[0] == nil)
  }

  @Test func `an accessor returns nil for a value of another type`() {
    let values: [JSONValue] = [nil, true, 7, 7.5, "s", [1], ["a": 1]]
    #expect(values.map(\.isNull) == [true, false, false, false, false, false, false])
    #expect(values.map(\.boolValue) == [nil, true, nil, nil, nil, nil, nil])
    #expect(values.map(\.integerValue) == [nil, nil, 7, nil, nil, nil, nil])
    #expect(values.map(\.numberValue) == [nil, nil, 7, 7.5, nil, nil, nil])
    #expect(values.map(\.stringValue) == [nil, nil, nil, nil, "s", nil, nil])
    #expect(values.map(\.arrayValue) == [nil, nil, nil, nil, nil, [1], nil])
    #expect(values.map { $0.objectValue?.count } == [nil, nil, nil, nil, nil, nil, 1])
    #expect(
      values.map(\.kind) == [
        "null", "a boolean", "an integer", "a number", "a string", "an array", "an object",
      ])
  }

  @Test func `an integral number is an integer`() {
    #expect(JSONValue.number(7).integerValue == 7)
    #expect(JSONValue.number(-9_223_372_036_854_775_808).integerValue == .min)
    #expect(JSONValue.number(9_223_372_036_854_775_808).integerValue == nil)
    #expect(JSONValue.number(.nan).integerValue == nil)
  }

  @Test func `different values are not equal`() {
    let distinctValues: [JSONValue] = [
      nil, true, false, 1, 2, 1.5, "", "1", "\u{e9}", "e\u{301}", [], [1], [2], [1, 1], [:],
      ["a": 1], ["a": 2], ["b": 1], ["a": 1, "b": 1], .number(1),
    ]
    #expect(Set(distinctValues).count == distinctValues.count)
    for (left, first) in distinctValues.enumerated() {
      for (right, second) in distinctValues.enumerated() {
        #expect((first == second) == (left == right), "\(first) and \(second)")
      }
    }
  }

  @Test func `objects keep their order`() {
    var object: JSONObject = ["a": 1, "b": 2, "c": 3]
    object["b"] = 4
    object["d"] = 5
    object["a"] = nil
    object["x"] = nil
    #expect(object.map(\.key) == ["b", "c", "d"])
    #expect(object["b"] == 4)
    #expect(object.count == 3 && !object.isEmpty)
  }
}
