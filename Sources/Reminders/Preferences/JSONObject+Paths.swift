package import JSON

extension JSONObject {
  /// Sets a member by its path such as `quietHours.start`, making the parts that are missing.
  package mutating func set(_ value: JSONValue, at path: some StringProtocol) {
    guard let dot = path.firstIndex(of: ".") else {
      self[String(path)] = value
      return
    }
    let part = String(path[..<dot])
    var inner = self[part]?.objectValue ?? JSONObject()
    inner.set(value, at: path[path.index(after: dot)...])
    self[part] = .object(inner)
  }
}
