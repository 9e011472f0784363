import Outbox
import Testing

/// When a lane stops waiting for a batch, and how many calls run at once.
@Suite struct BatchProgressTests {
  private let slots = AsyncSemaphore(4)

  private func progress(answered positions: [Int]) -> BatchProgress {
    let progress = BatchProgress(count: 3)
    for position in positions { progress.answer(position, .delivered) }
    return progress
  }

  @Test func `unanswered deliveries have until the second look`() {
    let progress = progress(answered: [0, 2])
    #expect(progress.look() == nil && progress.look() == nil, "a delivery has not begun")
    progress.everythingIsUnderWay(in: slots)
    #expect(progress.look() == nil)
    #expect(progress.look() == [.delivered, nil, .delivered])
  }

  @Test(arguments: [[], [0, 1, 2]])
  func `without an answer, or with all of them, nothing is left behind`(answered: [Int]) {
    let progress = progress(answered: answered)
    progress.everythingIsUnderWay(in: slots)
    #expect(progress.look() == nil && progress.look() == nil)
  }

  @Test func `a batch leaves nothing behind while no slot is free`() {
    let progress = progress(answered: [0, 2])
    progress.everythingIsUnderWay(in: slots)
    for _ in 0..<4 { #expect(slots.takeNow()) }
    #expect(!slots.takeNow())
    #expect(progress.look() == nil && progress.look() == nil)
    slots.giveBack()
    #expect(progress.look() != nil)
  }

  @Test func `deliveries given up are retried, unless none of several was answered`() {
    let late = SinkAnswer.retry(after: nil, reason: "too late")
    #expect(progress(answered: [1]).givenUp("too late") == [late, .delivered, late])
    #expect(progress(answered: []).givenUp("too late") == nil)
    #expect(BatchProgress(count: 1).givenUp("too late") == [late], "one alone is no outage")
  }

  @Test func `a freed slot goes to the waiting task`() async {
    for _ in 0..<4 { #expect(slots.takeNow()) }
    await withTaskGroup { group in
      group.addTask { [slots] in await slots.take() }
      slots.giveBack()
    }
    #expect(!slots.hasFree, "the task has the slot, whether it waited or came later")
    slots.giveBack()
    #expect(slots.hasFree)
  }
}
