package import Engine

/// The result of a nightly audit (rule L7).
package struct AuditSummaryPayload: Payload {
  package typealias Value = AuditSummary
  package static let shape = PayloadShape(Self())

  package let until = Member("until", .instant, "The end of the audited day") { $0.until }
  package let audited = Member("audited", .count, "The number of audited recipients") {
    $0.recipients
  }
  package let occurrences = Member("occurrences", .count, "The number of compared occurrences") {
    $0.occurrences
  }
  package let differences = Member(
    "differences", .count, "The number of recipients with a difference that is not excused"
  ) { $0.differences }
  package let excused = Member(
    "excused", .count, "The number of recipients whose first disagreement the record explains"
  ) { $0.excused }
}
