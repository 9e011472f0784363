import JSON

extension Failure {
  /// The failure behind a problem document of the service (RFC 9457).
  init(status: Int, problem: JSONValue?) {
    let detail = problem?["detail"]?.stringValue ?? "the service answered \(status)"
    let code: Code = status >= 500 || status == 408 ? .unavailable : .data
    guard let split = Self.split(detail) else {
      self.init(code, detail, hint: Self.hint(problem?["type"]?.stringValue))
      return
    }
    self.init(code, split.message, hint: split.hint)
  }

  /// A question at the end of a sentence, "; did you mean …?", is a hint.
  private static func split(_ detail: String) -> (message: String, hint: String)? {
    let mark = "; did you mean "
    guard let start = detail.firstRange(of: mark) else { return nil }
    return (String(detail[..<start.lowerBound]), "did you mean " + detail[start.upperBound...])
  }

  private static func hint(_ type: String?) -> String? {
    switch type {
    case "urn:chimed:problem:unknown-recipient":
      "chimectl event recipient.updated --recipient ID timezone=Europe/Paris"
    case "urn:chimed:problem:conflicting-event":
      "give the event another --id; an id stands for one event of its source for ever"
    case "urn:chimed:problem:storage-full":
      "make room on the disk that holds the service's state"
    default: nil
    }
  }
}
