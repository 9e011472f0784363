import JSON

/// A `key=value` of the command line: a path in the event's data, and its value.
struct Assignment: Equatable {
  /// The names of the nested members.
  let path: [String]
  let value: JSONValue

  /// Parses `key=value` or `key:=JSON`. In `key=value`, a number, true, false or null is JSON, and
  /// anything else is text. Dots in the key are for nested objects: `quietHours.enabled=true`.
  init(_ text: String) throws(CommandError) {
    guard let equals = text.firstIndex(of: "=") else {
      throw CommandError(
        .usage, "\"\(text)\" is not key=value", hint: "write it as day=3 or note=\"a b\"")
    }
    var key = text[..<equals]
    let value = text[text.index(after: equals)...]
    let isJSON = key.last == ":"
    if isJSON { key.removeLast() }
    path = key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard path.allSatisfy({ !$0.isEmpty }) else {
      throw CommandError(.usage, "\"\(text)\" has an empty key; write key=value")
    }
    self.value = isJSON ? try Self.json(value, key) : Self.plainValue(value)
  }

  /// Combines assignments into an event's data.
  static func data(_ assignments: [Assignment]) throws(CommandError) -> JSONObject {
    var data = JSONObject()
    for assignment in assignments {
      try put(assignment.value, at: assignment.path[...], of: assignment, in: &data)
    }
    return data
  }

  /// Sets the value at a path in an object. `assignment` is named in an error.
  private static func put(
    _ value: JSONValue, at path: ArraySlice<String>, of assignment: Assignment,
    in object: inout JSONObject
  ) throws(CommandError) {
    guard let name = path.first else { return }
    let innerPath = path.dropFirst()
    if innerPath.isEmpty && object[name] == nil {
      object[name] = value
      return
    }
    guard !innerPath.isEmpty, case .object(var inner) = object[name] ?? .object(JSONObject())
    else {
      let key = assignment.path.joined(separator: ".")
      throw CommandError(.usage, "\(key) contradicts an earlier value; give it once")
    }
    try put(value, at: innerPath, of: assignment, in: &inner)
    object[name] = .object(inner)
  }

  /// Returns the hint for a refused event or preference if one of its values is an object or a list
  /// in JSON that `key=value` sent as text; nil otherwise.
  private static func hint(_ texts: [String]) -> String? {
    for text in texts {
      guard let assignment = try? Assignment(text), case .string(let value) = assignment.value,
        value.first == "{" || value.first == "[", (try? JSONParser.parse(value)) != nil
      else { continue }
      let key = assignment.path.joined(separator: ".")
      return "\(key)=… is sent as text; write \(key):=… for JSON"
    }
    return nil
  }

  /// Runs the request that contains assignments. A refusal gets a hint if a value that is JSON was
  /// sent as text.
  static func advising(_ texts: [String], _ request: () async throws -> Void) async throws {
    do {
      try await request()
    } catch let error as CommandError where error.code == .data && error.hint == nil {
      throw CommandError(error.code, error.message, hint: hint(texts))
    }
  }

  private static func json(_ text: Substring, _ key: Substring) throws(CommandError) -> JSONValue {
    do {
      return try JSONParser.parse(String(text))
    } catch {
      throw CommandError(
        .usage, "the value of \(key) is not JSON: \(error)", hint: "\(key)=… takes any text")
    }
  }

  private static func plainValue(_ text: Substring) -> JSONValue {
    let isTrimmed = text.first?.isWhitespace == false && text.last?.isWhitespace == false
    guard isTrimmed, let value = try? JSONParser.parse(String(text)) else {
      return .string(String(text))
    }
    switch value {
    case .null, .bool, .integer, .number: return value
    case .string, .array, .object: return .string(String(text))
    }
  }
}
