import API
import JSON
import Reminders

/// The result of an audit as text: a line for each recipient with a difference (rule L6).
enum AuditReport {
  static func text(_ document: JSONValue) throws(CommandError) -> String {
    let answer = Answer<AuditPayload>(document)
    var text =
      try "Since \(answer.since), until \(answer.until): \(answer.audited) of \(answer.people) "
      + "recipients, \(answer.occurrences) occurrences. Recipients with differences: "
      + "\(answer.differences).\n"
    let findings = try answer.findings
    if !findings.isEmpty { text += try table(findings).text }
    for excuse in try answer.excused {
      text += try "Excused recipients, \(excuse.cause.rawValue): \(excuse.people).\n"
    }
    let counts = [
      ("Later disagreements of these recipients", try answer.following),
      ("Recipients stored for a part of the interval only", try answer.shortened),
      ("Recipients left out, because their past is not known", try answer.leftOut),
    ]
    for (words, count) in counts where count > 0 { text += "\(words): \(count).\n" }
    for part in try answer.unknown { text += "Not known: \(part)".printable + "\n" }
    return text
  }

  private static func table(
    _ findings: [Answer<AuditFindingPayload>]
  ) throws(CommandError) -> Table {
    var table = Table(header: ["RECIPIENT", "REMINDER", "PLANNED", "REPLAYED", "RECORDED", "ID"])
    for finding in findings {
      table.add([
        try finding.recipient, try finding.reminder, "\(try finding.planned)",
        try words(finding.replayed), try words(finding.recorded),
        try finding.notification ?? "",
      ])
    }
    return table
  }

  private static func words(
    _ side: Answer<AuditSidePayload>?
  ) throws(CommandError) -> String {
    guard let side else { return "nothing" }
    let reasons = try side.reasons
    let gates = reasons.isEmpty ? "" : " by \(reasons.joined(separator: ", "))"
    return try "\(side.outcome)\(gates) at \(side.at)"
  }
}
