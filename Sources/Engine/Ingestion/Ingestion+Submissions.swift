import Reminders
import Store

/// The events that apps and other nodes have submitted through the store.
extension Ingestion {
  /// Reads the waiting submissions, if the poll is due.
  func submissions(_ turn: inout Turn) throws -> Submissions {
    guard turn.work.readsSubmissions else {
      return Submissions([], planner: turn.planner, now: turn.now)
    }
    let waiting = try turn.transaction.submissions(
      limit: SubmissionPoll.submissionsMax, bytes: SubmissionPoll.bytesMax)
    let submissions = Submissions(waiting, planner: turn.planner, now: turn.now)
    turn.effects.answers.append { [self, now = turn.now] in
      submissionPoll.recordPoll(at: now, found: waiting)
    }
    return submissions
  }

  /// Ingests the readable submissions as one request (rule E6), and stores the results of all
  /// submissions in the same transaction.
  func ingest(_ submissions: consuming Submissions, _ turn: inout Turn) throws {
    guard submissions.count > 0 else { return }
    turn.effects.counters.refused += submissions.finished.count
    var receipts: [Receipt] = []
    for (event, isCopy) in submissions.entries {
      let rows = turn.requests.eventRows.popFirst()
      receipts.append(
        isCopy
          ? try ingestAlone(event, knowing: rows, &turn)
          : try ingest(event, knowing: rows, &turn))
      turn.showProgress()
    }
    try endRequest(&turn)
    submissions.settle(receipts)
    turn.effects.refusedSubmissions = submissions.finished.filter { $0.refusal != nil }
    try turn.transaction.settle(submissions.finished)
  }
}
