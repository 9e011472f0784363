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

  private func missing(_ name: String) -> Failure {
    Failure(
      .protocolError, "the service's answer lacks \(name)",
      hint: "chimectl and chimed may be of different versions")
  }
}
