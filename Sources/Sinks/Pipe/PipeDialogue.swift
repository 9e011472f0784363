import CivilTime
import Outbox
import Reminders
import Systemd

/// The state of a batch of deliveries for a program that answers line by line. Each delivery waits,
/// is in flight, or is answered.
///
/// Deliveries that the program had not answered when it died are sent to the next program. Any of
/// these suspects may have caused the death, so they are sent one by one. If a program dies with a
/// suspect alone in flight, that delivery is answered with a retry.
struct PipeDialogue {
  private struct InFlight {
    /// The index of the delivery in the batch.
    let index: Int
    /// When the delivery was sent to the program.
    let since: MonotonicInstant
  }

  let deliveries: [any Document]
  /// The time limit of the program's next answer.
  private let deadline: Duration
  /// The maximum number of deliveries in flight.
  private let concurrency: Int
  /// The answers by the index of the delivery; nil before the delivery has one.
  private var answers: [SinkAnswer?]
  /// Gets each answer as soon as it counts; nil if only the result of the batch matters.
  private let progress: BatchProgress?
  /// The indices of the deliveries that are still to be sent, in their order.
  private var waitingIndices: ArraySlice<Int>
  /// The deliveries sent to the program, by identifier. A notification on two channels is sent for
  /// one channel at a time.
  private var inFlight: [String: InFlight] = [:]
  /// The deliveries without an answer that were in flight when a program died.
  private var suspects: Set<Int> = []
  /// The suspects that were alone in flight when their program died. They are not reported yet,
  /// because in an outage they get no answer.
  private var unreported: [Int] = []
  /// The time of the program's last answer.
  private var lastAnswer: MonotonicInstant?
  /// The identifiers of the deliveries that a program has answered.
  private var answeredIdentifiers: Set<String> = []
  /// The number of programs that died with a suspect alone in flight, since the last answer.
  private var deaths = 0
  /// The outage that is the result if no program can process the batch; nil while one may.
  private var outage: SinkOutage?

  /// The value of `deaths` at which the program itself counts as broken. This is an outage, unless
  /// the batch has an answer of a program.
  private static let deathsMax = 3
  /// The retry delay of deliveries that were not sent to a program.
  private static let retryDelay = TimeSpan.seconds(5)

  init(
    _ deliveries: [any Document], deadline: Duration, concurrency: Int,
    _ progress: BatchProgress? = nil
  ) {
    self.deliveries = deliveries
    self.progress = progress
    self.deadline = deadline
    self.concurrency = concurrency
    answers = Array(repeating: nil, count: deliveries.count)
    waitingIndices = Array(deliveries.indices)[...]
  }

  /// Whether a delivery is still to be sent.
  var isWaiting: Bool { !waitingIndices.isEmpty }

  /// The result of the batch; nil while answers are missing.
  var result: Result<[SinkAnswer], SinkOutage>? {
    if let outage { return .failure(outage) }
    let answers = answers.compactMap { $0 }
    return answers.count == deliveries.count ? .success(answers) : nil
  }

  /// The deadline for the program's next answer; nil while it has no delivery.
  var silenceEnd: MonotonicInstant? {
    guard let first = inFlight.values.map(\.since).min() else { return nil }
    return max(first, lastAnswer ?? first) + deadline
  }

  /// Returns the next delivery to send now; nil if there is none or no capacity.
  mutating func next(at now: MonotonicInstant) -> (any Document)? {
    guard outage == nil, let index = nextIndex else { return nil }
    waitingIndices.removeAll { $0 == index }
    inFlight[deliveries[index].identifier] = InFlight(index: index, since: now)
    return deliveries[index]
  }

  private var nextIndex: Int? {
    guard inFlight.count < (suspects.isEmpty ? concurrency : 1) else { return nil }
    return waitingIndices.first { inFlight[deliveries[$0].identifier] == nil }
  }

  /// Records an answer of the program.
  mutating func record(
    _ answer: PipeAnswer, body: [UInt8], at now: MonotonicInstant
  ) throws(PipeAnswerError) {
    guard let entry = inFlight.removeValue(forKey: answer.identifier) else {
      throw answeredIdentifiers.contains(answer.identifier) ? .twice : .unknown
    }
    let response = SinkResponse(
      status: answer.verdict.name, body: body, duration: TimeSpan(entry.since.duration(to: now)))
    setAnswer(entry.index, SinkAnswer(answer.verdict, response: response))
    answeredIdentifiers.insert(answer.identifier)
    reportDeaths()
    lastAnswer = now
    deaths = 0
  }

  /// Gives the answer `retry` to each delivery whose deadline has passed, because the program is
  /// silent.
  mutating func giveUp(at now: MonotonicInstant) {
    let reason = "the program did not answer within \(TimeSpan(deadline))"
    for (identifier, entry) in inFlight where entry.since + deadline <= now {
      setAnswer(entry.index, .retry(after: nil, reason: reason))
      inFlight[identifier] = nil
    }
  }

  /// Records that the program has ended, for this reason.
  mutating func recordDeath(_ reason: String) {
    let indices = inFlight.values.map(\.index).sorted()
    inFlight = [:]
    lastAnswer = nil
    if let only = indices.first, indices.count == 1, suspects.contains(only) {
      deaths += 1
      answers[only] = .retry(after: nil, reason: "with this delivery, \(reason)")
      suspects.remove(only)
      unreported.append(only)
      if !answeredIdentifiers.isEmpty { reportDeaths() }
    } else {
      suspects.formUnion(indices)
      waitingIndices = (indices + waitingIndices)[...]
    }
    if deaths >= Self.deathsMax, answeredIdentifiers.isEmpty { outage = SinkOutage(reason) }
  }

  /// Ends the batch because no program can or will be started.
  mutating func fail(_ reason: String) {
    guard result == nil else { return }
    if answers.count(where: { $0 != nil }) == unreported.count {
      outage = SinkOutage(reason)
    } else {
      for index in answers.indices where answers[index] == nil {
        setAnswer(index, .retry(after: Self.retryDelay, reason: reason))
      }
    }
    waitingIndices = []
    inFlight = [:]
  }

  /// Records that the service stops: waiting deliveries are retried later.
  mutating func stop() {
    for index in waitingIndices {
      setAnswer(
        index, .retry(after: Self.retryDelay, reason: "the service stopped before it was sent"))
    }
    waitingIndices = []
  }

  /// Reports the deliveries in `unreported`, because the program works.
  private mutating func reportDeaths() {
    for index in unreported { answers[index].map { progress?.answer(index, $0) } }
    unreported = []
  }

  private mutating func setAnswer(_ index: Int, _ answer: SinkAnswer) {
    answers[index] = answer
    progress?.answer(index, answer)
    suspects.remove(index)
  }
}

extension SinkAnswer.Verdict {
  fileprivate var name: String {
    switch self {
    case .delivered: "delivered"
    case .retry: "retry"
    case .rejected: "rejected"
    }
  }
}
