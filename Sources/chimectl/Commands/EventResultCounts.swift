import API
import JSON

/// Counts the results of a file's events.
struct EventResultCounts {
  private(set) var accepted = 0
  private(set) var duplicate = 0
  private(set) var refused = 0
  /// The number of rejected events that can be accepted later.
  private var postponed = 0

  /// Counts a group of answers.
  ///
  /// - Parameter firstLine: the number of the group's first line in the file.
  /// - Returns: a line of text for each rejected event.
  mutating func add(_ answers: [JSONValue], from firstLine: Int) throws(CommandError) -> String {
    var text = ""
    for answer in answers.map({ Answer<EventLinePayload>($0) }) {
      let line = firstLine - 1 + Int(try answer.line)
      switch try answer.receipt.status {
      case "accepted": accepted += 1
      case "duplicate": duplicate += 1
      case "refused":
        refused += 1
        if try Self.isPostponed(answer.receipt) { postponed += 1 }
        text += try Self.refusal(answer.receipt, line)
      default: throw try interruption(answer.receipt, line)
      }
    }
    return text
  }

  /// Returns replies with line numbers that count from the start of the file, instead of from the
  /// start of the group.
  static func numbered(_ answers: [JSONValue], from firstLine: Int) -> [JSONValue] {
    answers.map { answer in
      guard case .object(var object) = answer, let line = try? Answer<EventLinePayload>(answer).line
      else { return answer }
      object.set(EventLinePayload.self, \.line, .integer(Int64(firstLine) - 1 + line))
      return .object(object)
    }
  }

  /// Returns whether the event can be accepted later: too much waits for the recipient, or the
  /// recipient's node is unknown, busy or out of disk space.
  private static func isPostponed(_ answer: Answer<EventResultPayload>) throws(CommandError) -> Bool
  {
    guard let status = try answer.problem?.status else { return false }
    return CommandError.code(Int(status), nil) == .temporary
  }

  /// The exit code after rejected events; nil if no event was rejected.
  var failure: CommandError.Code? {
    guard refused > 0 else { return nil }
    return refused == postponed ? .temporary : .data
  }

  var text: String { "accepted \(accepted), duplicate \(duplicate), refused \(refused)" }

  /// Returns a text such as "line 3, id e3: data.day must be from 1 to 30; it is 31".
  private static func refusal(
    _ answer: Answer<EventResultPayload>, _ line: Int
  ) throws(CommandError) -> String {
    let identifier = try answer.id.map { ", id \($0)" } ?? ""
    let detail = try answer.problem?.detail ?? "refused"
    return "line \(line)\(identifier): \(detail)".printable + "\n"
  }

  /// Returns the error for a reply with which the service stops accepting the lines of a group.
  private func interruption(
    _ answer: Answer<EventResultPayload>, _ line: Int
  ) throws(CommandError) -> CommandError {
    let detail = try answer.problem?.detail ?? "the service stopped"
    return CommandError(
      .temporary, "line \(line) and later ones were not accepted: \(detail) (before that: \(text))",
      hint: "send the file again later; an event is stored only once")
  }
}
