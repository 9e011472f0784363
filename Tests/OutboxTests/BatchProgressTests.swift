import Outbox
import Testing

/// When a batch is not waited for any longer, and how many may be under way.
@Suite struct BatchProgressTests {
  private let slots = Slots(4)

  private func progress(answered positions: [Int]) -> BatchProgress {
    let progress = BatchProgress(count: 3)
    for position in positions { progress.answer(position, .delivered) }
    return progress
  }

  @Test func whatIsUnderWayIsGivenTheTimeBetweenTwoLooks() {
    let progress = progress(answered: [0, 2])
    #expect(progress.look() == nil && progress.look() == nil, "something is to be begun")
    progress.everythingIsUnderWay(in: slots)
    #expect(progress.look() == nil)
    #expect(progress.look() == [.delivered, nil, .delivered])
  }

  @Test(arguments: [[], [0, 1, 2]])
  func nobodyGoesOnWithoutAnAnswerOrWithAll(answered: [Int]) {
    let progress = progress(answered: answered)
    progress.everythingIsUnderWay(in: slots)
    #expect(progress.look() == nil && progress.look() == nil)
  }

  @Test func nobodyGoesOnWithoutRoom() {
    let progress = progress(answered: [0, 2])
    progress.everythingIsUnderWay(in: slots)
    for _ in 0..<4 { #expect(slots.takeNow()) }
    #expect(!slots.takeNow())
    #expect(progress.look() == nil && progress.look() == nil)
    slots.giveBack()
    #expect(progress.look() != nil)
  }

  @Test func whatIsGivenUpIsTriedAgainUnlessNothingTellsThatSomebodyIsThere() {
    let late = SinkAnswer.retry(after: nil, reason: "too late")
    #expect(progress(answered: [1]).givenUp("too late") == [late, .delivered, late])
    #expect(progress(answered: []).givenUp("too late") == nil)
    #expect(BatchProgress(count: 1).givenUp("too late") == [late], "it may be this one alone")
  }

  @Test func whoWaitsForASlotHasTheNextOne() async {
    for _ in 0..<4 { #expect(slots.takeNow()) }
    await withTaskGroup { group in
      group.addTask { [slots] in await slots.take() }
      slots.giveBack()
    }
    #expect(!slots.hasFree, "it has it, whether it waited or came later")
    slots.giveBack()
    #expect(slots.hasFree)
  }
}
