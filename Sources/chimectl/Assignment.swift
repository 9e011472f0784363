import JSON

/// One `key=value` of a command line: where in an event's data it goes, and what.
struct Assignment: Equatable {
  /// The names of the members on the way there.
  let path: [String]
  let value: JSONValue

  /// Reads `key=value`, where true, false, null and numbers are what JSON has them for and anything
  /// else is text, or `key:=JSON`. Dots in the key lead into objects: `quietHours.enabled=true`.
  init(_ text: String) throws(Failure) {
    guard let equals = text.firstIndex(of: "=") else {
      throw Failure(.usage, "\"\(text)\" is not key=value", hint: "such as day=3 or note=\"a b\"")
    }
    var key = text[..<equals]
    let value = text[text.index(after: equals)...]
    let isJSON = key.last == ":"
    if isJSON { key.removeLast() }
    path = key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard path.allSatisfy({ !$0.isEmpty }) else {
      throw Failure(.usage, "\"\(text)\" has no key, or an empty one between two dots")
    }
    self.value = isJSON ? try Self.json(value, key) : Self.plain(value)
  }

  /// The data that assignments make together.
  static func data(_ assignments: [Assignment]) throws(Failure) -> JSONObject {
    var data = JSONObject()
    for assignment in assignments {
      try put(assignment.value, at: assignment.path[...], of: assignment, in: &data)
    }
    return data
  }

  private static func put(
    _ value: JSONValue, at path: ArraySlice<String>, of assignment: Assignment,
    in object: inout JSONObject
  ) throws(Failure) {
    guard let name = path.first else { return }
    let rest = path.dropFirst()
    if rest.isEmpty && object[name] == nil {
      object[name] = value
      return
    }
    guard !rest.isEmpty, case .object(var inner) = object[name] ?? .object(JSONObject()) else {
      let key = assignment.path.joined(separator: ".")
      throw Failure(.usage, "\(key) contradicts what was given for it before")
    }
    try put(value, at: rest, of: assignment, in: &inner)
    object[name] = .object(inner)
  }

  private static func json(_ text: Substring, _ key: Substring) throws(Failure) -> JSONValue {
    do {
      return try JSONParser.parse(String(text))
    } catch {
      throw Failure(
        .usage, "the value of \(key) is not JSON: \(error)", hint: "\(key)=… takes any text")
    }
  }

  private static func plain(_ text: Substring) -> JSONValue {
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
