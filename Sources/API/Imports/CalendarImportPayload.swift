package import JSON
import Reminders

/// The answer to an import of a calendar: its events with their results.
package struct CalendarImportPayload: Payload {
  package struct Value: Sendable {
    /// The events of the file, and its flaws.
    let content: CalendarImport
    /// How each event differs from the recipient's facts.
    let comparisons: [CalendarComparison]
    /// The results of the reported events, in order; nil for a dry run.
    var answers: [EventAnswer]?

    var counts: EventsAnswerPayload.Value { .init(answers ?? []) }

    var items: [ImportedEventPayload.Value] {
      var answers = (answers ?? []).makeIterator()
      return zip(content.entries, comparisons).map { entry, comparison in
        .init(
          entry: entry, comparison: comparison,
          answer: comparison.isReported ? answers.next() : nil)
      }
    }
  }

  package static let shape = PayloadShape(Self())

  package let dryRun = Member("dryRun", .boolean) { $0.answers == nil }
  package let items = Member("items", .list(.payload(ImportedEventPayload.self))) { $0.items }
  package let accepted = Member("accepted", .count) { $0.counts.accepted }
  package let duplicate = Member("duplicate", .count) { $0.counts.duplicate }
  package let refused = Member("refused", .count) { $0.counts.refused }
  package let unchanged = Member(
    "unchanged", .count, "The components that are known, ended or past, and are not reported"
  ) { $0.comparisons.count { !$0.isReported } }
  package let ignored = Member(
    "ignored", .list(.payload(FaultPayload.self)), "The parts that are not imported, such as alarms"
  ) { Fault.list($0.content.ignored, "parts are ignored") }
}

/// An event of a calendar, with its result.
package struct ImportedEventPayload: Payload {
  package struct Value: Sendable {
    let entry: CalendarImport.Entry
    /// How the event differs from the recipient's facts.
    let comparison: CalendarComparison
    /// The result; nil in a dry run, and if the event is not reported.
    let answer: EventAnswer?
  }

  package static let shape = PayloadShape(Self())

  package let line = Member("line", .count, "The first line of the component") { $0.entry.line }
  package let uid = Member("uid", .text) { $0.entry.uid }
  package let id = Member("id", .text, "The event's id") { $0.entry.event.identifier }
  package let data = Member("data", .object, "The event's data") {
    $0.entry.document["data"]?.objectValue ?? [:]
  }
  package let comparison = Member(
    "comparison", .word(CalendarComparison.allCases.map(\.rawValue)),
    "How the component differs from the recipient's plans; an import reports new and changed ones"
  ) { $0.comparison.rawValue }
  package let status = Member(
    "status", optional: .word(["accepted", "duplicate", "refused"]),
    "Missing in a dry run, and if the event is not reported"
  ) { $0.answer?.result.name }
  package let problem = Member("problem", optional: .payload(ProblemPayload.self)) {
    if case .refused(let problem) = $0.answer?.result { problem } else { nil }
  }
  package let warnings = Member("warnings", optional: .list(.text)) { value -> [String]? in
    let warnings = (value.answer?.warnings ?? []) + [value.warning].compactMap(\.self)
    return warnings.isEmpty ? nil : warnings
  }
}

extension ImportedEventPayload.Value {
  /// A warning that the recipient may not have the component's plan; nil if there is none.
  fileprivate var warning: String? {
    if comparison == .ended {
      return "this plan was ended; to plan it again, let the component begin on another date from "
        + "today, or give it another UID"
    }
    guard case .duplicate = answer?.result else { return nil }
    return "this version was imported before; change its SEQUENCE if the recipient does not have "
      + "this plan"
  }
}
