extension JSONWriter {
  /// Writes a member of an object; the key has to be ASCII without anything that needs an escape.
  package mutating func member(_ key: StaticString, _ value: String) {
    self.key(constant: key)
    self.value(value)
  }

  package mutating func member(_ key: StaticString, _ value: Int64) {
    self.key(constant: key)
    self.value(value)
  }

  package mutating func member(_ key: StaticString, _ value: Int) {
    self.key(constant: key)
    self.value(value)
  }

  package mutating func member(_ key: StaticString, _ value: Double) {
    self.key(constant: key)
    self.value(value)
  }

  package mutating func member(_ key: StaticString, _ value: Bool) {
    self.key(constant: key)
    self.value(value)
  }

  package mutating func member(_ key: StaticString, _ value: JSONValue) {
    self.key(constant: key)
    self.value(value)
  }
}
