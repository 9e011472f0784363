internal import JSON

/// Why a request failed.
public enum ChimedError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The service was not reached, or the connection broke; the request can be sent again.
  case unreachable(errno: Int32?, reason: String)
  /// The reply did not arrive in time; the request can be sent again.
  case late(Duration)
  /// The service refused the request, with the reason.
  case refused(ChimedProblem)
  /// The reply is malformed; another program may be listening at the address.
  case unreadable(String)

  public var description: String {
    switch self {
    case .unreachable(_, let reason): "chimed does not answer: \(reason)"
    case .late(let timeout): "chimed did not answer within \(timeout)"
    case .refused(let problem): problem.detail
    case .unreadable(let reason): "the answer of chimed cannot be read: \(reason)"
    }
  }
}

/// The service's description of a problem with a request (RFC 9457).
public struct ChimedProblem: Hashable, Sendable {
  /// The HTTP status of the reply, from 300 on.
  public let status: Int
  /// The kind of problem: `urn:chimed:problem:unacceptable-event`; empty if unknown.
  public let type: String
  /// The fault, its position, and what to do.
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
