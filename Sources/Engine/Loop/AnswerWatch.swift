import Outbox
import Synchronization

/// Reports a sink's answers to a batch to the engine. It reports new answers twice a second, and
/// the remaining ones when the sink returns. So a crash repeats few deliveries, and not every
/// answer costs a commit (rule D1). The lane, which is the sink's queue, does not wait for
/// stragglers: deliveries whose answers take longer than those to the others (rule D3).
final class AnswerWatch: Sendable {
  private struct State {
    var timer: DeadlineTimer?
    /// The number of checks of the answers so far.
    var checks = 0
    /// How many deliveries from the start of the batch were reported: with their answers, or as
    /// stragglers.
    var reportedCount = 0
    /// The positions of the stragglers, in the order in which they were reported.
    var stragglers: [Int] = []
    /// Whether the lane continues without the stragglers.
    var hasFreedLane = false
    /// Whether the sink has returned from the batch.
    var hasSinkReturned = false
    /// Whether everything was reported.
    var isFullyReported = false
  }

  /// The interval of checks for stragglers, in milliseconds. A delivery becomes a straggler only if
  /// it is unanswered this long after its whole batch has begun. A working service answers sooner,
  /// and each straggler costs two rows in the store.
  private static let checkMilliseconds = 250
  /// The number of checks from one report of answers to the next: two, which is half a second.
  private static let checksPerReport = 2

  /// The number that was last given to a batch's stragglers.
  private static let lastNumber = Atomic(0)

  /// The number of the lane.
  private let lane: Int
  private let progress: BatchProgress
  /// The number of each delivery's notification.
  private let notifications: [Int64]
  private let inFlightBatches: InFlightBatches
  private let requestQueue: RequestQueue
  /// The number that identifies the stragglers of this batch in this process.
  private let stragglersNumber = AnswerWatch.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
  private let state = Mutex(State())

  init(
    _ progress: BatchProgress, of notifications: [Int64], lane: Int,
    inFlightBatches: InFlightBatches, requestQueue: RequestQueue
  ) {
    (self.progress, self.notifications, self.lane) = (progress, notifications, lane)
    (self.inFlightBatches, self.requestQueue) = (inFlightBatches, requestQueue)
  }

  /// Begins to check the answers at intervals, unless everything was reported already.
  func begin() {
    let timer = DeadlineTimer(after: Self.checkMilliseconds, isRepeating: true) {
      [weak self] in self?.checkAnswers()
    }
    let isNeeded = state.withLock { state in
      if !state.isFullyReported { state.timer = timer }
      return !state.isFullyReported
    }
    if !isNeeded { timer.cancel() }
  }

  /// Reports new answers, and lets the lane continue if only stragglers are left.
  private func checkAnswers() {
    state.withLock { state in
      guard !state.hasSinkReturned, !state.isFullyReported else { return }
      state.checks += 1
      let freesLane = !state.hasFreedLane && progress.checkStragglers() != nil
      guard freesLane || state.checks.isMultiple(of: Self.checksPerReport) else { return }
      let answers = progress.answers
      let end = freesLane ? answers.count : reportableCount(of: answers)
      report(answers, through: end, freesLane: freesLane, &state)
    }
  }

  /// Returns how many deliveries from the start of the batch to report: all up to the last answered
  /// one, and the other channels of its notification. So the lane's cursor stays between
  /// notifications.
  private func reportableCount(of answers: [SinkAnswer?]) -> Int {
    var end = answers.lastIndex { $0 != nil }.map { $0 + 1 } ?? 0
    while end > 0, end < answers.count, notifications[end] == notifications[end - 1] { end += 1 }
    return end
  }

  /// Reports answers from within the lock, so that reports arrive in order.
  ///
  /// - Parameter freesLane: whether the lane continues, although the sink has not returned.
  private func report(
    _ answers: [SinkAnswer?], through end: Int, freesLane: Bool = false, _ state: inout State
  ) {
    let stragglerAnswers = state.stragglers.map { answers[$0] }
    if stragglerAnswers.contains(where: { $0 != nil }) {
      state.stragglers.removeAll { answers[$0] != nil }
      post(
        .stragglersAnswered(
          lane: lane, stragglers: stragglersNumber, .success(stragglerAnswers)))
    }
    guard end > state.reportedCount || freesLane else { return }
    let range = state.reportedCount..<max(state.reportedCount, end)
    state.stragglers += range.filter { answers[$0] == nil }
    state.reportedCount = range.upperBound
    if freesLane {
      state.hasFreedLane = true
      inFlightBatches.freeLane()
    }
    post(
      .sinkAnsweredInPart(
        lane: lane, Array(answers[range]), stragglers: stragglersNumber, freesLane: freesLane))
  }

  private func post(_ request: Request) { _ = requestQueue.post(request) }

  /// Notes that the sink has returned from the batch.
  func recordReturn() {
    let hasFreedLane = state.withLock { state in
      state.hasSinkReturned = true
      return state.hasFreedLane
    }
    inFlightBatches.end(hasFreedLane: hasFreedLane)
  }

  /// Reports the sink's answers to the whole batch, except those already reported.
  func answer(_ result: FirstAnswer.Result) {
    state.withLock { state in
      guard !state.isFullyReported else { return }
      state.isFullyReported = true
      state.timer?.cancel()
      if case .failure = result { reportBeforeOutage(&state) }
      if !state.hasFreedLane {
        let remaining = result.map { Array($0.dropFirst(state.reportedCount)) }
        post(.sinkAnswered(lane: lane, remaining))
      }
      guard !state.stragglers.isEmpty else { return }
      let stragglerAnswers: Result<[SinkAnswer?], SinkOutage> = result.flatMap { answers in
        // A straggler without an answer would stay in flight forever.
        let missingCount = state.stragglers.count { !answers.indices.contains($0) }
        guard missingCount == 0 else {
          return .failure(SinkOutage("it did not answer \(missingCount) deliveries of its batch"))
        }
        return .success(state.stragglers.map { answers[$0] })
      }
      post(.stragglersAnswered(lane: lane, stragglers: stragglersNumber, stragglerAnswers))
    }
  }

  /// Reports the answers that arrived before the outage.
  private func reportBeforeOutage(_ state: inout State) {
    let answers = progress.answers
    report(answers, through: reportableCount(of: answers), &state)
  }
}
