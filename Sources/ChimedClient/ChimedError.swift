internal import JSON

/// Why the service has not done what it was asked for.
public enum ChimedError: Error, Hashable, Sendable, CustomStringConvertible {
  /// It was not reached, or the connection broke: what was sent may be sent again.
  case unreachable(errno: Int32?, reason: String)
  /// There was no answer in time; likewise.
  case late(Duration)
  /// It says no, and why.
  case refused(ChimedProblem)
  /// What it says is not what it should be: another program may be listening there.
  case unreadable(String)

  public var description: String {
    switch self {
    case .unreachable(_, let reason): "chimed does not answer: \(reason)"
    case .late(let patience): "chimed did not answer in \(patience)"
    case .refused(let problem): problem.detail
    case .unreadable(let reason): "the answer of chimed cannot be read: \(reason)"
    }
  }
}

/// What is wrong with a request, as the service says it (RFC 9457).
public struct ChimedProblem: Hashable, Sendable {
  /// Of the answer, from 300 on.
  public let status: Int
  /// Which kind of problem: `urn:chimed:problem:unacceptable-event`; empty if it is not told.
  public let type: String
  /// What is wrong, where, and what to do.
  public let detail: String
  /// The member or parameter concerned, such as `data.timezone`.
  public let path: String?

  init(status: Int, document: [UInt8]) {
    let value = try? JSONParser.parse(document)
    self.init(status: status, value)
  }

  init(status: Int, _ value: JSONValue?) {
    self.status = status
    type = value?["type"]?.stringValue ?? ""
    detail = value?["detail"]?.stringValue ?? "the service answered \(status)"
    path = value?["path"]?.stringValue
  }
}
