package import Outbox
package import Reminders
internal import Synchronization

/// The result of sending one delivery to a remote.
package enum Handover: Sendable {
  case answered(SinkAnswer)
  /// It was not sent, for a reason that applies to all deliveries.
  case unreachable(String)

  /// Sends deliveries concurrently and returns an answer for each, in order.
  ///
  /// - Parameters:
  ///   - slots: the limiter; each delivery in flight holds one permit.
  ///   - executor: runs the requests.
  /// - Throws: an outage if none could be sent.
  package static func all(
    _ deliveries: [Delivery], in slots: AsyncSemaphore, _ progress: BatchProgress,
    on executor: any TaskExecutor, hand: @escaping @Sendable (Delivery) async -> Handover
  ) async throws(SinkOutage) -> [SinkAnswer] {
    let round = HandoverRound(count: deliveries.count, slots, progress)
    await withTaskExecutorPreference(executor) {
      await withDiscardingTaskGroup { group in
        while let index = await round.next() {
          group.addTask { round.finished(index, await hand(deliveries[index])) }
        }
      }
    }
    return try round.answers()
  }
}

/// A batch that is being sent, shared by the concurrent tasks.
private final class HandoverRound: Sendable {
  private let queue: Mutex<HandoverQueue>
  private let slots: AsyncSemaphore
  private let progress: BatchProgress

  init(count: Int, _ slots: AsyncSemaphore, _ progress: BatchProgress) {
    queue = Mutex(HandoverQueue(count: count, concurrency: slots.count))
    (self.slots, self.progress) = (slots, progress)
  }

  /// Waits for capacity and returns the next delivery to start; nil if none is left to start.
  func next() async -> Int? {
    guard queue.withLock({ $0.hasNext }) else { return end() }
    await slots.take()
    // The batch may have been cut off during the wait.
    if let index = queue.withLock({ $0.next() }) { return index }
    slots.giveBack()
    return end()
  }

  private func end() -> Int? {
    if queue.withLock({ $0.isBegun }) { progress.everythingIsUnderWay(in: slots) }
    return nil
  }

  func finished(_ index: Int, _ handover: Handover) {
    queue.withLock { $0.finished(index, handover) }
    if case .answered(let answer) = handover { progress.answer(index, answer) }
    slots.giveBack()
  }

  func answers() throws(SinkOutage) -> [SinkAnswer] { try queue.withLock { $0 }.answers() }
}

/// Decides which delivery of a batch is sent next, and collects the results.
package struct HandoverQueue: Sendable {
  private let concurrency: Int
  private var handovers: [Handover?]
  private var started = 0
  private var inFlightCount = 0
  private var answered = 0
  /// The number of consecutive deliveries that did not reach the remote, and the last reason.
  private var misses = 0
  private var reason = ""

  package init(count: Int, concurrency: Int) {
    self.concurrency = concurrency
    handovers = Array(repeating: nil, count: count)
  }

  /// Whether all deliveries have been started.
  package var isBegun: Bool { started == handovers.count }

  /// Whether a delivery is left to start, now or when there is capacity.
  package var hasNext: Bool { !isBegun && !isCutOff }

  /// Returns the next delivery to start now; nil if there is none or no capacity.
  package mutating func next() -> Int? {
    guard hasNext, inFlightCount < concurrency else { return nil }
    defer { started += 1 }
    inFlightCount += 1
    return started
  }

  /// Whether the rest is given up. True after one miss if nothing has been answered yet, otherwise
  /// after as many consecutive misses as requests may run concurrently.
  private var isCutOff: Bool { misses >= (answered == 0 ? 1 : concurrency) }

  package mutating func finished(_ index: Int, _ handover: Handover) {
    inFlightCount -= 1
    handovers[index] = handover
    switch handover {
    case .answered:
      answered += 1
      misses = 0
    case .unreachable(let reason):
      misses += 1
      self.reason = reason
    }
  }

  /// - Throws: an outage if nothing was answered.
  package func answers() throws(SinkOutage) -> [SinkAnswer] {
    guard answered > 0 || handovers.isEmpty else { throw SinkOutage(reason) }
    return handovers.map { handover in
      switch handover {
      case .answered(let answer): answer
      case .unreachable(let reason): .retry(after: nil, reason: reason)
      case nil: .retry(after: nil, reason: reason)
      }
    }
  }
}
