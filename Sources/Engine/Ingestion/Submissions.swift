import CivilTime
import Reminders
import Store

/// The submissions of apps and other nodes, as an engine cycle ingests them.
struct Submissions {
  /// The events of the readable submissions.
  private(set) var events: [Event] = []
  /// The readable submissions, in the order of `events`.
  private var submissions: [Submission] = []
  /// The finished submissions with their results.
  private(set) var finished: [FinishedSubmission] = []

  /// The number of submissions before `settle`, readable or not.
  var count: Int { submissions.count + finished.count }

  init(_ submissions: [Submission], planner: Planner, now: Instant) {
    let reader = EventReader(planner: planner)
    for submission in submissions {
      do {
        events.append(try Self.event(submission, reader, now: now))
        self.submissions.append(submission)
      } catch {
        refuse(submission.number, error)
      }
    }
  }

  private static func event(
    _ submission: Submission, _ reader: EventReader, now: Instant
  ) throws(Refusal) -> Event {
    guard let text = submission.text else {
      throw Refusal(
        path: "", "the event has more than \(Submission.textMax) bytes; submit a smaller one")
    }
    guard !submission.isCopy else { return try reader.copy(text: text, time: submission.at) }
    // The database's clock may be ahead of this node's.
    return try reader.event(text: text, now: min(submission.at, now))
  }

  /// The events in order, and for each whether it is a copy of another event.
  var entries: some Sequence<(event: Event, isCopy: Bool)> {
    zip(events, submissions).lazy.map { ($0, $1.isCopy) }
  }

  /// Records the results of the submissions, by their receipts. Submissions for recipients of
  /// another node continue to wait for that node. Copies for erased recipients are discarded
  /// without a report.
  ///
  /// - Parameter receipts: the receipts of the events, in the same order.
  mutating func settle(_ receipts: [Receipt]) {
    for (submission, receipt) in zip(submissions, receipts) {
      switch receipt {
      case .refused(let refusal) where !submission.isCopy: refuse(submission.number, refusal)
      case .accepted, .duplicate, .refused:
        finished.append(FinishedSubmission(number: submission.number))
      case .elsewhere: break
      }
    }
  }

  private mutating func refuse(_ number: Int64, _ refusal: Refusal) {
    finished.append(FinishedSubmission(number: number, refusal: refusal.description))
  }
}
