import JSON

extension JSONParser {
  /// What parsing came to, for closures that cannot throw a typed error.
  func result(of bytes: UnsafeRawBufferPointer) -> Result<JSONValue, JSONError> {
    Result { () throws(JSONError) in try parse(bytes) }
  }
}
