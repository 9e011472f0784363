import Outbox
import Synchronization

/// Brings the answers of a sink to a batch to the engine: those of half a second together, so that
/// a crash repeats few deliveries and costs no commit for each (rule D1), and the rest when the
/// sink comes back. The lane goes on when only stragglers are left (rule D3).
final class AnswerWatch: Sendable {
  private struct State {
    var timer: DeadlineTimer?
    /// How often it was looked for answers.
    var looks = 0
    /// How many of the first of the batch were reported: with their answers, or as stragglers.
    var reported = 0
    /// The positions of the stragglers, in the order in which they were reported.
    var stragglers: [Int] = []
    /// Whether the lane goes on without the stragglers.
    var isParted = false
    /// Whether the sink has come back from the batch.
    var isBack = false
    /// Whether all was reported.
    var isOver = false
  }

  /// How often it is looked whether only stragglers are left. It is also how long one of a batch
  /// may take beyond the others before it is one: a service that answers at all does so sooner, and
  /// each straggler costs two rows.
  private static let lookMilliseconds = 250
  /// With each second look, so twice a second, answers are reported.
  private static let looksPerReport = 2

  private static let lastNumber = Atomic(0)

  private let lane: Int
  private let progress: BatchProgress
  /// The number of each delivery's notification.
  private let notifications: [Int64]
  private let calls: InFlightBatches
  private let requestQueue: RequestQueue
  /// By which the stragglers go.
  private let number = AnswerWatch.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
  private let state = Mutex(State())

  init(
    _ progress: BatchProgress, of notifications: [Int64], lane: Int, calls: InFlightBatches,
    requestQueue: RequestQueue
  ) {
    (self.progress, self.notifications, self.lane) = (progress, notifications, lane)
    (self.calls, self.requestQueue) = (calls, requestQueue)
  }

  func begin() {
    let timer = DeadlineTimer(after: Self.lookMilliseconds, isRepeating: true) {
      [weak self] in self?.look()
    }
    let isNeeded = state.withLock { state in
      if !state.isOver { state.timer = timer }
      return !state.isOver
    }
    if !isNeeded { timer.cancel() }
  }

  /// Reports what the sink has answered for, and lets the lane go on without the stragglers if they
  /// are all that is left.
  private func look() {
    state.withLock { state in
      guard !state.isBack, !state.isOver else { return }
      state.looks += 1
      let isParting = !state.isParted && progress.look() != nil
      guard isParting || state.looks.isMultiple(of: Self.looksPerReport) else { return }
      let answers = progress.answers
      let end = isParting ? answers.count : end(of: answers)
      report(answers, through: end, freesLane: isParting, &state)
    }
  }

  /// How many of the first are to be reported: up to the last with an answer, with all channels of
  /// its notification, as a lane's place is between notifications.
  private func end(of answers: [SinkAnswer?]) -> Int {
    var end = answers.lastIndex { $0 != nil }.map { $0 + 1 } ?? 0
    while end > 0, end < answers.count, notifications[end] == notifications[end - 1] { end += 1 }
    return end
  }

  /// Within the lock, so that what follows on it does not come first.
  ///
  /// - Parameter freesLane: whether the lane goes on, though the sink has not come back.
  private func report(
    _ answers: [SinkAnswer?], through end: Int, freesLane: Bool = false, _ state: inout State
  ) {
    let late = state.stragglers.map { answers[$0] }
    if late.contains(where: { $0 != nil }) {
      state.stragglers.removeAll { answers[$0] != nil }
      post(.stragglersAnswered(lane: lane, rest: number, .success(late)))
    }
    guard end > state.reported || freesLane else { return }
    let part = state.reported..<max(state.reported, end)
    state.stragglers += part.filter { answers[$0] == nil }
    state.reported = part.upperBound
    if freesLane {
      state.isParted = true
      calls.part()
    }
    post(
      .sinkAnsweredInPart(
        lane: lane, Array(answers[part]), rest: number, freesLane: freesLane))
  }

  private func post(_ request: Request) { _ = requestQueue.post(request) }

  /// The sink has come back from the batch.
  func cameBack() {
    let isParted = state.withLock { state in
      state.isBack = true
      return state.isParted
    }
    calls.end(isParted: isParted)
  }

  /// Reports what the sink said to the whole batch, without what was reported.
  func answer(_ result: FirstAnswer.Result) {
    state.withLock { state in
      guard !state.isOver else { return }
      state.isOver = true
      state.timer?.cancel()
      if case .failure = result { reportBeforeOutage(&state) }
      if !state.isParted {
        let rest = result.map { Array($0.dropFirst(state.reported)) }
        post(.sinkAnswered(lane: lane, rest))
      }
      guard !state.stragglers.isEmpty else { return }
      let late: Result<[SinkAnswer?], SinkOutage> = result.map { answers in
        state.stragglers.map { answers.indices.contains($0) ? answers[$0] : nil }
      }
      post(.stragglersAnswered(lane: lane, rest: number, late))
    }
  }

  /// Reports answers that came before the sink turned out to take nothing more.
  private func reportBeforeOutage(_ state: inout State) {
    let answers = progress.answers
    report(answers, through: end(of: answers), &state)
  }
}
