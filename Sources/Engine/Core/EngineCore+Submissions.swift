import CivilTime
import Reminders
import Store

/// When to look for events that apps have inserted into the store. Notifications from the database
/// would slow down the apps' commits far more than polling costs.
struct SubmissionPoll {
  /// When the next look is due; nil before `begin`.
  private(set) var wake: Instant?

  /// How long a submitted event waits at most.
  private static let pause = TimeSpan.milliseconds(250)
  /// The most submissions of a cycle, and the size in bytes at which reading stops.
  static let limit = 1_000
  static let bytes = 8 << 20
  /// How long rejected submissions are kept.
  static let refusedSpan = TimeSpan.days(30)

  mutating func begin(at now: Instant) { wake = now }

  func isDue(at now: Instant) -> Bool { wake.map { $0 <= now } ?? false }

  mutating func looked(at now: Instant, found submissions: [Submission]) {
    guard wake != nil else { return }
    let bytes = submissions.reduce(0) { $0 + ($1.text?.utf8.count ?? 0) }
    let mayBeMore = submissions.count == Self.limit || bytes >= Self.bytes
    wake = mayBeMore ? now : now + Self.pause
  }

  /// A clock that is set back does not delay the next look.
  mutating func clockWasSetBack(to now: Instant) {
    wake = wake.map { min($0, now + Self.pause) }
  }
}

/// The submissions of apps and other nodes, as a cycle ingests them.
struct Submissions {
  /// The readable submissions' events.
  private(set) var events: [Event] = []
  private var submissions: [Submission] = []
  /// The results of submissions that are finished.
  private(set) var settled: [SettledSubmission] = []

  var count: Int { submissions.count + settled.count }

  init(_ submissions: [Submission], planner: Planner, now: Instant) {
    let reader = EventReader(planner: planner)
    for submission in submissions {
      do {
        events.append(try Self.event(submission, reader, now: now))
        self.submissions.append(submission)
      } catch {
        settle(submission.number, error)
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

  /// The events in order, each with whether it is a copy of another event.
  var entries: some Sequence<(event: Event, isCopy: Bool)> {
    zip(events, submissions).lazy.map { ($0, $1.isCopy) }
  }

  /// Settles the submissions by their receipts. Those of another node continue to wait for it.
  /// Copies for erased recipients are discarded without a report.
  ///
  /// - Parameter receipts: of the events, in their order.
  mutating func settle(_ receipts: [Receipt]) {
    for (submission, receipt) in zip(submissions, receipts) {
      switch receipt {
      case .refused(let refusal) where !submission.isCopy: settle(submission.number, refusal)
      case .accepted, .duplicate, .refused:
        settled.append(SettledSubmission(number: submission.number))
      case .elsewhere: break
      }
    }
  }

  private mutating func settle(_ number: Int64, _ refusal: Refusal) {
    settled.append(SettledSubmission(number: number, refusal: refusal.description))
  }
}

extension EngineCore {
  /// Reads the waiting submissions, if a look is due.
  func submissions(
    _ turn: inout Turn, in transaction: any StoreWriter
  ) throws -> Submissions {
    guard turn.takesSubmissions else { return Submissions([], planner: planner, now: turn.now) }
    let waiting = try transaction.submissions(
      limit: SubmissionPoll.limit, bytes: SubmissionPoll.bytes)
    let submissions = Submissions(waiting, planner: turn.planner, now: turn.now)
    turn.answers.append { [self, now = turn.now] in
      submissionPoll.looked(at: now, found: waiting)
    }
    return submissions
  }

  /// Ingests the readable submissions as one request (rule E6), and settles all of them in the same
  /// transaction.
  func takeIn(
    _ submissions: consuming Submissions, _ turn: inout Turn, in transaction: any StoreWriter
  ) throws {
    guard submissions.count > 0 else { return }
    turn.counters.refused += submissions.settled.count
    var receipts: [Receipt] = []
    for (event, isCopy) in submissions.entries {
      let known = turn.lookedUp.popFirst()
      receipts.append(
        isCopy
          ? try receipt(for: event, knowing: known, &turn, in: transaction)
          : try takeIn(event, knowing: known, &turn, in: transaction))
      showProgress()
    }
    turn.endRequest()
    submissions.settle(receipts)
    turn.refusedSubmissions = submissions.settled.filter { $0.refusal != nil }
    try transaction.settle(
      submissions.settled, now: turn.now, keeping: SubmissionPoll.refusedSpan)
  }
}
