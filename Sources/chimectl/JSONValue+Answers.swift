import CivilTime
import JSON

/// Members that the service's answers must have.
extension JSONValue {
  func text(_ name: String) throws(Failure) -> String {
    if let text = self[name]?.stringValue { return text }
    throw missing(name)
  }

  func number(_ name: String) throws(Failure) -> Int64 {
    if let number = self[name]?.integerValue { return number }
    throw missing(name)
  }

  func instant(_ name: String) throws(Failure) -> Instant {
    if let instant = Instant(try text(name)) { return instant }
    throw missing(name)
  }

  /// One of some words.
  func word<Word: RawRepresentable<String>>(_ name: String) throws(Failure) -> Word {
    if let word = Word(rawValue: try text(name)) { return word }
    throw missing(name)
  }

  /// Each element of a list.
  func list<Element>(
    _ name: String, _ element: (JSONValue) throws(Failure) -> Element
  ) throws(Failure) -> [Element] {
    guard let values = self[name]?.arrayValue else { throw missing(name) }
    var elements: [Element] = []
    for value in values { elements.append(try element(value)) }
    return elements
  }

  /// What may be null.
  func optional<Value>(
    _ name: String, _ value: (JSONValue) throws(Failure) -> Value
  ) throws(Failure) -> Value? {
    guard let member = self[name], !member.isNull else { return nil }
    return try value(member)
  }

  func optionalInstant(_ name: String) throws(Failure) -> Instant? {
    guard let member = self[name], !member.isNull else { return nil }
    return try instant(name)
  }

  private func missing(_ name: String) -> Failure {
    Failure(
      .protocolError, "the service's answer lacks \(name)",
      hint: "chimectl and chimed may be of different versions")
  }
}
