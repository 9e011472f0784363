import CivilTime
import Delivery
import JSON

/// A line by which a program says what came of a delivery.
struct PipeAnswer: Hashable {
  var identifier: String
  var verdict: SinkAnswer.Verdict

  /// What is kept of a program's reason, in characters.
  private static let reasonMax = 200
  /// The longest wait that a program can wish for, in seconds.
  private static let waitMax = 30.0 * 86_400

  init(identifier: String, verdict: SinkAnswer.Verdict) {
    self.identifier = identifier
    self.verdict = verdict
  }

  init(_ line: [UInt8]) throws(PipeFault) {
    let value: JSONValue
    do { value = try JSONParser.parse(line) } catch { throw .noJSON(error.description) }
    guard let identifier = value["id"]?.stringValue else { throw .noIdentifier }
    self.identifier = identifier
    verdict = try Self.verdict(of: value)
  }

  private static func verdict(of value: JSONValue) throws(PipeFault) -> SinkAnswer.Verdict {
    let said = value["reason"]?.stringValue.map { String($0.prefix(reasonMax)) } ?? ""
    let reason = said.isEmpty ? "the program gave no reason" : said
    switch value["outcome"]?.stringValue {
    case "delivered": return .delivered
    case "rejected": return .rejected(reason: reason)
    case "retry": return .retry(after: try wait(value["after"]), reason: reason)
    default: throw .noOutcome
    }
  }

  private static func wait(_ value: JSONValue?) throws(PipeFault) -> TimeSpan? {
    guard let value, !value.isNull else { return nil }
    guard let seconds = value.numberValue, (0...waitMax).contains(seconds) else { throw .noWait }
    return TimeSpan(milliseconds: Int64(seconds * 1_000))
  }
}

/// A line that is no answer, for the person who writes the program. It does not show the line,
/// which may hold what a person was told.
enum PipeFault: Error, Hashable, CustomStringConvertible {
  case noJSON(String)
  case noIdentifier
  case noOutcome
  case noWait
  case unknown
  case twice
  case long

  var description: String {
    switch self {
    case .noJSON(let reason): "it is not JSON: \(reason)"
    case .noIdentifier: "it has no \"id\" that is a text"
    case .noOutcome: "its \"outcome\" is none of delivered, retry and rejected"
    case .noWait: "its \"after\" is not a number of seconds from 0 to 2592000"
    case .unknown: "its \"id\" is of no delivery that waits for an answer"
    case .twice: "its \"id\" is of a delivery that was answered before"
    case .long: "it is longer than \(PipeLines.lengthMax) bytes"
    }
  }
}
