import DeliverySamples
import Outbox
import Reminders
import Sinks
import Synchronization
import Testing

/// Rule D3: a batch does not wait for the slow deliveries of the previous one.
@Suite(.timeLimit(.minutes(1))) struct OverlapTests {
  /// A remote that does not answer notification 1 before `release` is called.
  private final class Remote: Sendable {
    private struct State {
      var inProgress = 0
      var mostConcurrent = 0
    }

    private let state = Mutex(State())
    private let (waiting, gate) = AsyncStream<Void>.makeStream()
    let semaphore: AsyncSemaphore

    init(permits count: Int) { semaphore = AsyncSemaphore(count) }

    /// The highest number of concurrent deliveries.
    var mostConcurrent: Int { state.withLock(\.mostConcurrent) }

    func release() { gate.finish() }

    func deliver(
      _ numbers: ClosedRange<Int64>, _ progress: BatchProgress
    ) async throws -> [SinkAnswer] {
      let deliveries = numbers.map { Fixtures.delivery($0) }
      return try await SendResult.sendAll(
        deliveries, in: semaphore, progress, on: globalConcurrentExecutor
      ) { await self.send($0) }
    }

    private func send(_ delivery: Delivery) async -> SendResult {
      state.withLock { state in
        state.inProgress += 1
        state.mostConcurrent = max(state.mostConcurrent, state.inProgress)
      }
      if delivery.notification == 1 { for await _ in waiting {} }
      state.withLock { $0.inProgress -= 1 }
      return .answered(.delivered)
    }
  }

  @Test(arguments: [2, 3, 8])
  func `later batches use the free permits`(permits: Int) async throws {
    let remote = Remote(permits: permits)
    let progress = BatchProgress(count: 4)
    async let first = remote.deliver(1...4, progress)
    for batch: Int64 in 1...5 {
      let numbers = batch * 10...batch * 10 + 9
      let answers = try await remote.deliver(numbers, BatchProgress(count: 10))
      #expect(answers.count(where: \.isDelivered) == 10)
    }
    #expect(remote.mostConcurrent <= permits)
    remote.release()
    #expect(try await first.count(where: \.isDelivered) == 4)
    for _ in 0..<permits { #expect(remote.semaphore.tryAcquire(), "every permit is free") }
    #expect(!remote.semaphore.tryAcquire())
  }

  @Test func `without a free permit, the next deliveries wait and none is lost`() async throws {
    let remote = Remote(permits: 1)
    async let first = remote.deliver(1...1, BatchProgress(count: 1))
    async let second = remote.deliver(2...3, BatchProgress(count: 2))
    remote.release()
    #expect(try await first + second == Array(repeating: .delivered, count: 3))
    #expect(remote.mostConcurrent == 1)
  }

  @Test func `answers are reported one by one`() async throws {
    let remote = Remote(permits: 8)
    let progress = BatchProgress(count: 3)
    async let answers = remote.deliver(1...3, progress)
    // Polls like a lane that has nothing else to do.
    while progress.checkStragglers() != [nil, .delivered, .delivered] {
      _ = try await remote.deliver(9...9, BatchProgress(count: 1))
    }
    remote.release()
    #expect(try await answers.count == 3)
    #expect(progress.checkStragglers() == nil, "no answer is missing")
  }
}
