package import Outbox
package import Reminders
internal import Synchronization

/// The result of sending one delivery to a remote.
package enum SendResult: Sendable {
  case answered(SinkAnswer)
  /// The delivery was not sent, or was refused, for a reason that applies to all deliveries.
  case unreachable(String)

  /// Sends deliveries concurrently and returns an answer for each, in order.
  ///
  /// - Parameters:
  ///   - semaphore: the limiter; each delivery in flight holds one permit.
  ///   - executor: runs the requests.
  /// - Throws: an outage if no delivery was answered.
  package static func sendAll(
    _ deliveries: [Delivery], in semaphore: AsyncSemaphore, _ progress: BatchProgress,
    on executor: any TaskExecutor, send: @escaping @Sendable (Delivery) async -> SendResult
  ) async throws(SinkOutage) -> [SinkAnswer] {
    let batch = ActiveBatch(count: deliveries.count, semaphore, progress)
    await withTaskExecutorPreference(executor) {
      await withDiscardingTaskGroup { group in
        while let index = await batch.next() {
          group.addTask { batch.recordResult(at: index, await send(deliveries[index])) }
        }
      }
    }
    return try batch.answers()
  }
}

/// A batch that is being sent, shared by the concurrent tasks.
private final class ActiveBatch: Sendable {
  private let queue: Mutex<SendQueue>
  private let semaphore: AsyncSemaphore
  private let progress: BatchProgress

  init(count: Int, _ semaphore: AsyncSemaphore, _ progress: BatchProgress) {
    queue = Mutex(SendQueue(count: count, concurrency: semaphore.count))
    (self.semaphore, self.progress) = (semaphore, progress)
  }

  /// Waits for capacity and returns the index of the next delivery to start; nil if no further
  /// delivery is started.
  func next() async -> Int? {
    guard queue.withLock({ $0.hasNext }) else { return end() }
    await semaphore.acquire()
    // The batch may have been cut off during the wait.
    if let index = queue.withLock({ $0.next() }) { return index }
    semaphore.release()
    return end()
  }

  private func end() -> Int? {
    if queue.withLock({ $0.areAllStarted }) { progress.recordAllBegun(within: semaphore) }
    return nil
  }

  func recordResult(at index: Int, _ result: SendResult) {
    queue.withLock { $0.recordResult(at: index, result) }
    if case .answered(let answer) = result { progress.answer(index, answer) }
    semaphore.release()
  }

  func answers() throws(SinkOutage) -> [SinkAnswer] { try queue.withLock { $0 }.answers() }
}
