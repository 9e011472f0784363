import CivilTime
import Reminders
import Systemd

/// Runs an audit, and reports its result in the journal, the status and the metrics (rule L7).
struct NightlyAudit: Sendable {
  let questions: Questions
  let journal: Journal

  func run(_ query: AuditQuery, now: Instant) {
    do {
      switch try questions.answer(query, now: now) {
      case .known(let audit):
        questions.lastAudit.summary = AuditSummary(audit)
        report(audit)
      case .unknown(let reason): reportFailure("the last day \(reason)")
      case .unknownRecipient: break
      }
    } catch {
      reportFailure("\(error)")
    }
  }

  func reportFailure(_ reason: String) {
    journal.send(message: "the nightly audit did not run: \(reason)", priority: .warning)
  }

  private func report(_ audit: ServiceAudit) {
    let summary = AuditSummary(audit)
    guard let first = audit.findings.first else {
      return journal.send(.auditFinished, "\(summary.sentence); the record is as replayed")
    }
    let reason =
      "\(summary.sentence); \(summary.differences) with differences, first "
      + "\(first.recipient): \(first.difference.reminder) planned for \(first.difference.planned)"
    journal.send(
      .auditDiffers,
      "\(reason); see chimectl replay --since 2d --recipient \(first.recipient)",
      fields: [(.reason, reason)])
  }
}
