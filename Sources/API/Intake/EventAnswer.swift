import Engine
import JSON

/// What became of one event that was sent in.
package struct EventAnswer: Sendable {
  enum Result: Sendable {
    case accepted
    case duplicate
    case refused(Problem)
  }

  /// The index in a batch, or the number of a line.
  var place: Int
  /// The event's own id, if it has one that can be told.
  var identifier: String?
  var result: Result
  /// Probable mistakes in the event (rule E8).
  var warnings: [String] = []
}

extension EventAnswer.Result {
  /// - Parameter receipt: nil when the service gave none, which it must not do.
  init(_ receipt: Receipt?) {
    self =
      switch receipt {
      case .accepted: .accepted
      case .duplicate: .duplicate
      case .refused(let refusal): .refused(Problem(refusal))
      case .elsewhere(let shard): .refused(Problem(ServiceUnavailable(elsewhere: shard)))
      case nil:
        .refused(Problem(.unexpected, "the service did not say what became of it; send it again"))
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
  /// What parsing came to, for closures that cannot throw a typed error.
  func result(of bytes: UnsafeRawBufferPointer) -> Result<JSONValue, JSONError> {
    Result { () throws(JSONError) in try parse(bytes) }
  }
}
