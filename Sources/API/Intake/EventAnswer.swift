import Engine
import JSON

/// The result of one event.
package struct EventAnswer: Sendable {
  enum Result: Sendable {
    case accepted
    /// The service has accepted the same event before.
    case duplicate
    case refused(Problem)
  }

  /// The index in a batch, or the number of a line.
  var position: Int
  /// The event's id, if it is readable.
  var identifier: String?
  var result: Result
  /// Probable mistakes in the event (rule E8).
  var warnings: [String] = []

  /// Whether the event was refused because of the state of the service and not its own content.
  var isServiceFault: Bool {
    if case .refused(let problem) = result { problem.isServiceFault } else { false }
  }
}

extension EventAnswer.Result {
  /// - Parameter receipt: nil if the service gave none, which is a fault.
  init(_ receipt: Receipt?) {
    self =
      switch receipt {
      case .accepted: .accepted
      case .duplicate: .duplicate
      case .refused(let refusal): .refused(Problem(refusal))
      case .elsewhere(let shard): .refused(Problem(ServiceUnavailable(elsewhere: shard)))
      case nil:
        .refused(Problem(.unexpected, "the service gave no result for the event; send it again"))
      }
  }

  var name: String {
    switch self {
    case .accepted: "accepted"
    case .duplicate: "duplicate"
    case .refused: "refused"
    }
  }
}

extension JSONParser {
  /// Parses without throwing, for closures that cannot throw a typed error.
  func result(of bytes: UnsafeRawBufferPointer) -> Result<JSONValue, JSONError> {
    Result { () throws(JSONError) in try parse(bytes) }
  }
}
