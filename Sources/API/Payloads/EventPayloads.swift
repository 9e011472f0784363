import HTTPTypes
import JSON

/// The response to a single event.
package struct EventAnswerPayload: Payload {
  package typealias Value = EventAnswer
  package static let shape = PayloadShape(Self(), as: .eventAnswer)

  package let id = Member("id", .text, "The event's own id") { $0.identifier ?? "" }
  package let status = Member("status", .word(["accepted", "duplicate"])) { $0.result.name }
  package let warnings = Member(
    "warnings", optional: .list(.text), "Probable mistakes, such as an \"at\" in 2099"
  ) { $0.warningsOfAccepted }
}

extension EventAnswer {
  /// The warnings about an accepted event; nil if there are none, as for most events.
  fileprivate var warningsOfAccepted: [String]? {
    guard !warnings.isEmpty, case .accepted = result else { return nil }
    return warnings
  }
}

struct EventsAnswerPayload: Payload {
  struct Value {
    let answers: [EventAnswer]
    var accepted = 0
    var duplicate = 0
    var refused = 0

    init(_ answers: [EventAnswer]) {
      self.answers = answers
      for answer in answers {
        switch answer.result {
        case .accepted: accepted += 1
        case .duplicate: duplicate += 1
        case .refused: refused += 1
        }
      }
    }
  }

  static let shape = PayloadShape(Self(), as: .eventsAnswer)

  let items = Member("items", .list(.payload(EventItemPayload.self))) { $0.answers }
  let accepted = Member("accepted", .count) { $0.accepted }
  let duplicate = Member("duplicate", .count) { $0.duplicate }
  let refused = Member("refused", .count) { $0.refused }
}

/// The result of one event of a batch.
struct EventItemPayload: Payload {
  typealias Value = EventAnswer
  static let shape = PayloadShape(Self())

  let index = Member("index", .count) { $0.position }
  let receipt = Members(EventResultPayload.self) { $0 }
}

/// The result of one line of a stream.
package struct EventLinePayload: Payload {
  package typealias Value = EventAnswer
  package static let shape = PayloadShape(Self())

  package let line = Member("line", .count) { $0.position }
  package let receipt = Members(EventResultPayload.self) { $0 }
}

package struct EventResultPayload: Payload {
  package typealias Value = EventAnswer
  package static let shape = PayloadShape(Self())

  package let id = Member("id", optional: .text) { $0.identifier }
  package let status = Member("status", .word(["accepted", "duplicate", "refused"])) {
    $0.result.name
  }
  package let problem = Member("problem", optional: .payload(ProblemPayload.self)) {
    if case .refused(let problem) = $0.result { problem } else { nil }
  }
  package let warnings = Member("warnings", optional: .list(.text)) { $0.warningsOfAccepted }
}

/// The last line of the response to a stream that was not read to its end.
struct StoppedLinePayload: Payload {
  struct Value {
    let line: Int
    let problem: Problem
  }

  static let shape = PayloadShape(Self())

  let line = Member("line", .count) { $0.line }
  let status = Member("status", .word(["stopped"])) { _ in "stopped" }
  let problem = Member("problem", .payload(ProblemPayload.self)) { $0.problem }
}

/// A problem document (RFC 9457).
package struct ProblemPayload: Payload {
  package typealias Value = Problem
  package static let shape = PayloadShape(Self(), as: .problem)

  package let type = Member("type", .text, "The kind of problem: urn:chimed:problem:...") {
    $0.kind.type
  }
  package let title = Member("title", .text) { $0.kind.title }
  package let status = Member("status", .integer(.integer(400...599))) { $0.kind.status.code }
  package let detail = Member("detail", .text, "The fault, its position, and the remedy") {
    $0.detail
  }
  package let path = Member("path", optional: .text, "The member or parameter concerned") {
    $0.path
  }
  package let problems = Member(
    "problems", optional: .list(.payload(FaultPayload.self)),
    "All faults of the refused catalog, configuration or calendar"
  ) { $0.faults.isEmpty ? nil : $0.faults }
}
