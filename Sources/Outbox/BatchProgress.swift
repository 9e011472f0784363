package import Reminders
internal import Synchronization

/// A sink that reports each answer to a batch as soon as the answer is known. The engine records
/// these answers every half second, so that few deliveries are repeated after a crash (rule D1).
package protocol ReportingSink: Sink {
  /// Sends deliveries as `deliver` does, and reports each answer as soon as it is known.
  func deliver(
    _ deliveries: [Delivery], _ progress: BatchProgress
  ) async throws(SinkOutage) -> [SinkAnswer]
}

/// A sink that works on several deliveries at once. While it waits for the stragglers of a batch,
/// which are its slowest deliveries, it already works on the next batch. So slow deliveries do not
/// delay others as long as there is capacity (rule D3).
package protocol OverlappingSink: ReportingSink {}

extension ReportingSink {
  package func deliver(_ deliveries: [Delivery]) async throws(SinkOutage) -> [SinkAnswer] {
    try await deliver(deliveries, BatchProgress(count: deliveries.count))
  }
}

/// A sink's answers so far to a batch.
package final class BatchProgress: Sendable {
  private struct State {
    var answers: [SinkAnswer?]
    /// Limits the attempts in flight; nil until all deliveries of the batch have begun.
    var semaphore: AsyncSemaphore?
    /// Whether all deliveries of the batch had begun at an earlier check.
    var hadAllBegun = false
  }

  private let state: Mutex<State>

  package init(count: Int) {
    state = Mutex(State(answers: Array(repeating: nil, count: count)))
  }

  /// Records the answer to the delivery at an index of the batch.
  package func answer(_ index: Int, _ answer: SinkAnswer) {
    state.withLock { $0.answers[index] = answer }
  }

  /// The answers so far, in the order of the batch; nil for an unanswered delivery.
  package var answers: [SinkAnswer?] { state.withLock(\.answers) }

  /// Returns the answers that apply when the engine stops waiting for the sink. For each unanswered
  /// delivery, the answer is that the delivery is to be retried.
  ///
  /// - Parameter reason: why the engine stops waiting.
  /// - Returns: nil if the batch has several deliveries and none of them has an answer, because
  ///   then the sink may not work at all.
  package func abandonedAnswers(_ reason: String) -> [SinkAnswer]? {
    state.withLock { state in
      let isSingle = state.answers.count == 1
      guard isSingle || state.answers.contains(where: { $0 != nil }) else { return nil }
      return state.answers.map { $0 ?? .retry(after: nil, reason: reason) }
    }
  }

  /// Records that the attempts of all deliveries of the batch have begun.
  ///
  /// - Parameter semaphore: limits the attempts in flight.
  package func recordAllBegun(within semaphore: AsyncSemaphore) {
    state.withLock { $0.semaphore = semaphore }
  }

  /// Checks whether to stop waiting for stragglers. Called at regular intervals. The wait ends when
  /// three conditions are met:
  ///
  /// - all deliveries had begun at an earlier check;
  /// - there is capacity for others;
  /// - at least one answer has shown that the service works.
  ///
  /// - Returns: the answers, with nil for each straggler; nil if the engine has to wait for all
  ///   answers.
  package func checkStragglers() -> [SinkAnswer?]? {
    state.withLock { state in
      guard let semaphore = state.semaphore else { return nil }
      guard state.hadAllBegun else {
        state.hadAllBegun = true
        return nil
      }
      let missing = state.answers.count { $0 == nil }
      guard missing > 0, missing < state.answers.count, semaphore.hasFree else { return nil }
      return state.answers
    }
  }
}
