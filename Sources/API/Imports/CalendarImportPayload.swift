package import JSON
import Reminders

/// The answer to an import of a calendar: its events with their results.
package struct CalendarImportPayload: Payload {
  package struct Value: Sendable {
    let content: CalendarImport
    /// Whether the recipient had each event's plan before the import.
    let areCurrent: [Bool]
    /// The results of the events, in order; nil for a dry run.
    var answers: [EventAnswer]?

    var counts: EventsAnswerPayload.Value { .init(answers ?? []) }
  }

  package static let shape = PayloadShape(Self())

  package let dryRun = Member("dryRun", .boolean) { $0.answers == nil }
  package let items = Member("items", .list(.payload(ImportedEventPayload.self))) { value in
    value.content.entries.enumerated().map { index, entry in
      ImportedEventPayload.Value(
        entry: entry, answer: value.answers?[index], isCurrent: value.areCurrent[index])
    }
  }
  package let accepted = Member("accepted", .count) { $0.counts.accepted }
  package let duplicate = Member("duplicate", .count) { $0.counts.duplicate }
  package let refused = Member("refused", .count) { $0.counts.refused }
  package let ignored = Member(
    "ignored", .list(.payload(FaultPayload.self)), "The parts of alarms that are not imported"
  ) { $0.content.ignored.map { Fault($0) } }
}

/// An event of a calendar, with its result.
package struct ImportedEventPayload: Payload {
  package struct Value: Sendable {
    let entry: CalendarImport.Entry
    let answer: EventAnswer?
    let isCurrent: Bool
  }

  package static let shape = PayloadShape(Self())

  package let line = Member("line", .count, "The first line of the component") { $0.entry.line }
  package let uid = Member("uid", .text) { $0.entry.uid }
  package let id = Member("id", .text, "The event's id") { $0.entry.event.identifier }
  package let data = Member("data", .object, "The event's data") {
    $0.entry.document["data"]?.objectValue ?? [:]
  }
  package let status = Member(
    "status", optional: .word(["accepted", "duplicate", "refused"]), "Missing in a dry run"
  ) { $0.answer?.result.name }
  package let problem = Member("problem", optional: .payload(ProblemPayload.self)) {
    if case .refused(let problem) = $0.answer?.result { problem } else { nil }
  }
  package let warnings = Member(
    "warnings", optional: .list(.text), "Why a duplicate is not the recipient's plan"
  ) { value -> [String]? in
    guard case .duplicate = value.answer?.result, !value.isCurrent else { return nil }
    return [
      "this plan was ended, or another version came later; change the SEQUENCE of the component to "
        + "import it again"
    ]
  }
}
