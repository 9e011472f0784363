package import CivilTime
package import Engine
import HummingbirdCore
package import Reminders

extension ReplayRoute {
  /// Reports whether the record of recipients' past days is what their replay yields (rule L6).
  func audit(_ body: ReceivedBody<ReplayBody>, for call: Call) async throws -> Response {
    for (name, isGiven) in [
      ("name", try body.name != nil), ("perDay", try body.perDay != nil),
    ] where isGiven {
      throw Problem(.invalidBody, "\(name) is of no use without source; leave it out", path: name)
    }
    let query = AuditQuery(
      AuditQuery.Selection(try Self.selection(body)), since: try body.since)
    let answer = try await work.run(for: call) {
      service throws(ServiceUnavailable) -> AuditAnswer in
      try await service.answer(query)
    }
    switch answer {
    case .known(let audit): return Response(AuditPayload.self, audit)
    case .unknownRecipient: throw Problem.unknown(recipient: try body.recipient ?? "")
    case .unknown(let reason):
      throw Problem(.invalidBody, "since \(reason)", path: "since")
    }
  }
}

extension AuditQuery.Selection {
  fileprivate init(_ selection: ReplayQuery.Selection) {
    switch selection {
    case .recipient(let name): self = .recipient(name)
    case .sample(let size): self = .sample(size)
    }
  }
}

package struct AuditPayload: Payload {
  package typealias Value = ServiceAudit
  package static let shape = PayloadShape(Self())

  package let since = Member("since", .instant) { $0.since }
  package let until = Member("until", .instant, "The end of the audited interval") { $0.end }
  package let people = Member("people", .count) { $0.people }
  package let audited = Member("audited", .count, "The number of audited recipients") {
    $0.auditedCount
  }
  package let exact = Member("exact", .boolean) { $0.auditedCount == $0.people }
  package let shortened = Member(
    "shortened", .count,
    "The number of audited recipients whose events or records begin within the interval"
  ) { $0.shortenedCount }
  package let leftOut = Member(
    "leftOut", .count, "The number of examined recipients whose past is not known"
  ) { $0.leftOutCount }
  package let occurrences = Member(
    "occurrences", .count, "The compared occurrences, each in each of its channel groups"
  ) { $0.occurrenceCount }
  package let differences = Member(
    "differences", .count, "The number of recipients with a difference that is not excused"
  ) { $0.differenceCount }
  package let excused = Member(
    "excused", .list(.payload(AuditExcusePayload.self)),
    "The recipients whose first disagreement has a cause that only the record shows"
  ) { audit in
    RecordAudit.Cause.allCases.compactMap { cause in
      audit.excused[cause].map { (cause, $0) }
    }
  }
  package let following = Member(
    "following", .count, "The disagreements after the first one of each recipient"
  ) { $0.followingCount }
  package let findings = Member(
    "findings", .list(.payload(AuditFindingPayload.self)),
    "The first difference of each recipient that has one, of up to 100 recipients"
  ) { $0.findings }
  package let unknown = Member("unknown", .list(.text), "The parts of the past that are not known")
  { audit in audit.missingZones.map { "the time zone rules of \($0)" } }
}

package struct AuditExcusePayload: Payload {
  package typealias Value = (cause: RecordAudit.Cause, people: Int)
  package static let shape = PayloadShape(Self())

  package let cause = Member("cause", .word) { $0.cause }
  package let people = Member("people", .count) { $0.people }
}

package struct AuditFindingPayload: Payload {
  package typealias Value = ServiceAudit.Finding
  package static let shape = PayloadShape(Self())

  package let recipient = Member("recipient", .recipient) { $0.recipient }
  package let reminder = Member("reminder", .text) { $0.difference.reminder }
  package let notification = Member(
    "notification", optional: .text, "The id of the recorded notification, if there is one"
  ) { $0.difference.notification }
  package let planned = Member("planned", .instant) { $0.difference.planned }
  package let replayed = Member(
    "replayed", orNull: .payload(AuditSidePayload.self), "The decision of the replay"
  ) { $0.difference.replayed }
  package let recorded = Member(
    "recorded", orNull: .payload(AuditSidePayload.self), "The decision of the service"
  ) { $0.difference.recorded }
}

package struct AuditSidePayload: Payload {
  package typealias Value = RecordAudit.Side
  package static let shape = PayloadShape(Self())

  package let outcome = Member("outcome", .word(["delivered", "dropped", "bundled"])) {
    $0.outcome.name
  }
  package let reasons = Member(
    "reasons", .list(.text), "The gates that held or dropped the occurrence"
  ) { $0.reasons }
  package let at = Member("at", .instant, "For a drop, the planned instant") { $0.at }
}
