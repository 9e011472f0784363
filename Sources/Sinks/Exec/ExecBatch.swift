import CivilTime
import Outbox

/// The deliveries of a batch, each with a separate program: decides which program starts next, and
/// collects the results.
struct ExecBatch {
  private var answers: [SinkAnswer?]
  /// Gets each answer as soon as it is known; nil if only the result of the batch matters.
  private let progress: BatchProgress?
  /// The index of the next delivery whose program can be started.
  private var nextIndex = 0
  private var runningCount = 0
  /// The reason for which no further program of the batch is started; nil while programs may start.
  private var failure: String?

  /// The retry delay of deliveries whose programs were not started, because another program could
  /// not be started or the service stops.
  private static let pause = TimeSpan.seconds(5)

  init(count: Int, _ progress: BatchProgress? = nil) {
    answers = Array(repeating: nil, count: count)
    self.progress = progress
  }

  /// Whether there is a delivery whose program can be started.
  var hasNext: Bool { failure == nil && nextIndex < answers.count }

  /// Returns the index of the next delivery to start. Requires `hasNext`.
  ///
  /// - Parameter semaphore: the sink's limiter; each running program holds one permit.
  mutating func start(in semaphore: AsyncSemaphore) -> Int {
    defer { nextIndex += 1 }
    runningCount += 1
    if nextIndex + 1 == answers.count { progress?.recordAllBegun(within: semaphore) }
    return nextIndex
  }

  /// Records that the program of the latest started delivery could not be started.
  mutating func recordStartFailure(_ reason: String) {
    runningCount -= 1
    failure = failure ?? reason
  }

  mutating func recordEnd(of index: Int, _ answer: SinkAnswer) {
    runningCount -= 1
    answers[index] = answer
    progress?.answer(index, answer)
  }

  /// Records that the service stops, so that the remaining programs are not started.
  mutating func stop() {
    failure = failure ?? "the service stopped before the program was started"
  }

  /// The result of the batch; nil while it is incomplete.
  var result: Result<[SinkAnswer], SinkOutage>? {
    guard runningCount == 0, failure != nil || nextIndex == answers.count else { return nil }
    guard let failure else { return .success(answers.compactMap { $0 }) }
    if answers.allSatisfy({ $0 == nil }) { return .failure(SinkOutage(failure)) }
    return .success(answers.map { $0 ?? .retry(after: Self.pause, reason: failure) })
  }
}
