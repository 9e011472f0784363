import Outbox
import Synchronization

/// Brings to the engine what a sink says to a batch: all of it together, or first most of it and
/// then the rest, should that take longer than the others are to wait for.
final class StragglerWatch: Sendable {
  private enum Stage {
    case whole(DeadlineTimer?)
    /// The positions of those that are still to be answered for.
    case parted(rest: Int, [Int])
    case answered
  }

  private struct State {
    var stage = Stage.whole(nil)
    /// Whether the sink has come back from the batch.
    var isBack = false
  }

  /// How often it is looked whether only stragglers are left. It is also how long one of a batch
  /// may take beyond the others before it is one: a service that answers at all does so sooner, and
  /// each straggler costs two rows.
  private static let lookMilliseconds = 250

  private static let lastNumber = Atomic(0)

  private let lane: Int
  private let progress: BatchProgress
  private let calls: OpenCalls
  private let requestQueue: RequestQueue
  private let state = Mutex(State())

  init(_ progress: BatchProgress, lane: Int, calls: OpenCalls, requestQueue: RequestQueue) {
    (self.progress, self.lane) = (progress, lane)
    (self.calls, self.requestQueue) = (calls, requestQueue)
  }

  func begin() {
    let timer = DeadlineTimer(after: Self.lookMilliseconds, isRepeating: true) {
      [weak self] in self?.look()
    }
    let isNeeded = state.withLock { state in
      guard case .whole = state.stage else { return false }
      state.stage = .whole(timer)
      return true
    }
    if !isNeeded { timer.cancel() }
  }

  /// Lets the lane go on without the stragglers if they are all that is left.
  private func look() {
    state.withLock { state in
      guard !state.isBack, case .whole(let timer) = state.stage, let said = progress.look() else {
        return
      }
      timer?.cancel()
      let rest = Self.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
      state.stage = .parted(rest: rest, said.indices.filter { said[$0] == nil })
      calls.part()
      // Within the lock, so that the rest does not come first.
      _ = requestQueue.post(.sinkAnsweredInPart(lane: lane, said, rest: rest))
    }
  }

  /// The sink has come back from the batch.
  func cameBack() {
    let isParted = state.withLock { state in
      state.isBack = true
      if case .parted = state.stage { return true }
      return false
    }
    calls.end(isParted: isParted)
  }

  /// Passes on what the sink said to the whole batch.
  func answer(_ result: FirstAnswer.Result) {
    state.withLock { state in
      switch state.stage {
      case .whole(let timer):
        timer?.cancel()
        _ = requestQueue.post(.sinkAnswered(lane: lane, result))
      case .parted(let rest, let positions):
        let answers = result.map { answers in
          positions.compactMap { answers.indices.contains($0) ? answers[$0] : nil }
        }
        _ = requestQueue.post(.stragglersAnswered(lane: lane, rest: rest, answers))
      case .answered: return
      }
      state.stage = .answered
    }
  }
}
