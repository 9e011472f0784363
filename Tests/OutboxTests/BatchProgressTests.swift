import Outbox
import Testing

/// The instant at which a lane stops waiting for a batch, and the limit of concurrent calls.
@Suite struct BatchProgressTests {
  private let semaphore = AsyncSemaphore(4)

  private func progress(answered positions: [Int]) -> BatchProgress {
    let progress = BatchProgress(count: 3)
    for position in positions { progress.answer(position, .delivered) }
    return progress
  }

  @Test func `once all have begun, unanswered deliveries become stragglers`() {
    let progress = progress(answered: [0, 2])
    #expect(progress.checkStragglers() == nil, "a delivery has not begun")
    #expect(progress.checkStragglers() == nil, "a delivery has not begun")
    progress.recordAllBegun(within: semaphore)
    #expect(progress.checkStragglers() == nil)
    #expect(progress.checkStragglers() == [.delivered, nil, .delivered])
  }

  @Test(arguments: [[], [0, 1, 2]])
  func `a batch with no answer or with all answers has no stragglers`(answered: [Int]) {
    let progress = progress(answered: answered)
    progress.recordAllBegun(within: semaphore)
    #expect(progress.checkStragglers() == nil && progress.checkStragglers() == nil)
  }

  @Test func `a batch has no stragglers while no permit is free`() {
    let progress = progress(answered: [0, 2])
    progress.recordAllBegun(within: semaphore)
    for _ in 0..<4 { #expect(semaphore.tryAcquire()) }
    #expect(!semaphore.tryAcquire())
    #expect(progress.checkStragglers() == nil && progress.checkStragglers() == nil)
    semaphore.release()
    #expect(progress.checkStragglers() != nil)
  }

  @Test func `deliveries given up are retried, except if a batch of several has no answer`() {
    let late = SinkAnswer.retry(after: nil, reason: "too late")
    #expect(progress(answered: [1]).abandonedAnswers("too late") == [late, .delivered, late])
    #expect(progress(answered: []).abandonedAnswers("too late") == nil)
    #expect(
      BatchProgress(count: 1).abandonedAnswers("too late") == [late], "a batch of one is no outage")
  }

  @Test func `a freed permit goes to the waiting task`() async {
    for _ in 0..<4 { #expect(semaphore.tryAcquire()) }
    await withTaskGroup { group in
      group.addTask { [semaphore] in await semaphore.acquire() }
      semaphore.release()
    }
    #expect(!semaphore.hasFree, "the task has the permit, whether it waited or came later")
    semaphore.release()
    #expect(semaphore.hasFree)
  }
}
