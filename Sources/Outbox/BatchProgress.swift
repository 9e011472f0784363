package import Reminders
internal import Synchronization

/// A sink that has an answer for each delivery of a batch before it has all of them: the engine
/// records the answers meanwhile, so that a crash repeats few (rule D1).
package protocol ReportingSink: Sink {
  /// Hands deliveries over as `deliver` does, and says of each what came of it as soon as that is
  /// known.
  func deliver(
    _ deliveries: [Delivery], _ progress: BatchProgress
  ) async throws(SinkOutage) -> [SinkAnswer]
}

/// A sink that works on several deliveries at once, and on the next batch while it waits for the
/// stragglers of the one before: what takes long, or never answers, holds up nobody else as long as
/// there is room (rule D3).
package protocol OverlappingSink: ReportingSink {}

extension ReportingSink {
  package func deliver(_ deliveries: [Delivery]) async throws(SinkOutage) -> [SinkAnswer] {
    try await deliver(deliveries, BatchProgress(count: deliveries.count))
  }
}

/// What a sink has said so far to the deliveries of a batch.
package final class BatchProgress: Sendable {
  private struct State {
    var answers: [SinkAnswer?]
    /// Where there has to be room; nil until everything is under way.
    var slots: AsyncSemaphore?
    /// Whether everything was under way at an earlier look.
    var isOverdue = false
  }

  private let state: Mutex<State>

  package init(count: Int) {
    state = Mutex(State(answers: Array(repeating: nil, count: count)))
  }

  package func answer(_ index: Int, _ answer: SinkAnswer) {
    state.withLock { $0.answers[index] = answer }
  }

  /// The answers so far, in the order of the batch; nil for a delivery without one.
  package var answers: [SinkAnswer?] { state.withLock(\.answers) }

  /// What it comes to if the sink is not waited for any longer: what it has not answered for is to
  /// be tried again.
  ///
  /// - Returns: nil where it has answered for nothing of several, as then nothing tells whether it
  ///   is there at all.
  package func givenUp(_ reason: String) -> [SinkAnswer]? {
    state.withLock { state in
      let isOne = state.answers.count == 1
      guard isOne || state.answers.contains(where: { $0 != nil }) else { return nil }
      return state.answers.map { $0 ?? .retry(after: nil, reason: reason) }
    }
  }

  /// Nothing of the batch is left to begin.
  ///
  /// - Parameter slots: those that what is under way has.
  package func everythingIsUnderWay(in slots: AsyncSemaphore) {
    state.withLock { $0.slots = slots }
  }

  /// Looks whether to wait no longer, as somebody does at regular intervals: for one of them
  /// everything was under way, others could begin, and what was said shows that the other side is
  /// there.
  ///
  /// - Returns: the answers, nil for the stragglers; nil if all are to be waited for.
  package func look() -> [SinkAnswer?]? {
    state.withLock { state in
      guard let slots = state.slots else { return nil }
      guard state.isOverdue else {
        state.isOverdue = true
        return nil
      }
      let missing = state.answers.count { $0 == nil }
      guard missing > 0, missing < state.answers.count, slots.hasFree else { return nil }
      return state.answers
    }
  }
}

/// So many may be under way at once, of all batches that a sink has.
package final class AsyncSemaphore: Sendable {
  fileprivate struct State {
    var free: Int
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  package let count: Int
  private let state: Mutex<State>

  package init(_ count: Int) {
    self.count = max(1, count)
    state = Mutex(State(free: self.count))
  }

  package var hasFree: Bool { state.withLock { $0.free > 0 } }

  /// Takes one, after those who came before.
  package func take() async {
    if takeNow() { return }
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.take() { return true }
        state.waiting.append(continuation)
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  /// Takes one if there is one that nobody waits for.
  package func takeNow() -> Bool { state.withLock { $0.take() } }

  package func giveBack() {
    let next = state.withLock { state in
      if state.waiting.isEmpty {
        state.free += 1
        return nil as CheckedContinuation<Void, Never>?
      }
      return state.waiting.removeFirst()
    }
    next?.resume()
  }
}

extension AsyncSemaphore.State {
  fileprivate mutating func take() -> Bool {
    guard free > 0 else { return false }
    free -= 1
    return true
  }
}
