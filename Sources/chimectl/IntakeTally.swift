import JSON

/// Counts what became of the events of a file.
struct IntakeTally {
  private(set) var accepted = 0
  private(set) var duplicate = 0
  private(set) var refused = 0
  /// Of those refused, how many may be taken in later.
  private var postponed = 0

  /// Counts a group of answers.
  ///
  /// - Parameter firstLine: the number that the group's first line has in the file.
  /// - Returns: a line for each that was refused.
  mutating func add(_ answers: [JSONValue], from firstLine: Int) throws(Failure) -> String {
    var text = ""
    for answer in answers {
      let line = firstLine - 1 + Int(answer["line"]?.integerValue ?? 0)
      switch answer["status"]?.stringValue {
      case "accepted": accepted += 1
      case "duplicate": duplicate += 1
      case "refused":
        refused += 1
        if answer["problem"]?["status"]?.integerValue == 429 { postponed += 1 }
        text += Self.refusal(answer, line)
      default: throw stop(answer, line)
      }
    }
    return text
  }

  /// The answers by the lines of the file, not of the group.
  static func numbered(_ answers: [JSONValue], from firstLine: Int) -> [JSONValue] {
    answers.map { answer in
      guard case .object(var object) = answer, let line = answer["line"]?.integerValue else {
        return answer
      }
      object["line"] = .integer(Int64(firstLine) - 1 + line)
      return .object(object)
    }
  }

  /// Nil if nothing was refused.
  var failure: Failure.Code? {
    guard refused > 0 else { return nil }
    return refused == postponed ? .temporary : .data
  }

  var text: String { "accepted \(accepted), duplicate \(duplicate), refused \(refused)" }

  /// "line 3, id e3: data.day must be from 1 to 30; it is 31".
  private static func refusal(_ answer: JSONValue, _ line: Int) -> String {
    let identifier = answer["id"]?.stringValue.map { ", id \($0)" } ?? ""
    let detail = answer["problem"]?["detail"]?.stringValue ?? "refused"
    return "line \(line)\(identifier): \(detail)".printable + "\n"
  }

  private func stop(_ answer: JSONValue, _ line: Int) -> Failure {
    let detail = answer["problem"]?["detail"]?.stringValue ?? "the service stopped"
    return Failure(
      .temporary, "from line \(line) on nothing was taken in: \(detail) (before that: \(text))",
      hint: "send the file again later; no event is taken in twice")
  }
}
