import CivilTime
import Testing

@testable import Engine

/// The instants at which the memory of a burst is freed.
@Suite struct MemoryTrimmerTests {
  private let start = Instant(milliseconds: 1_772_452_800_000)

  private func trimmerAfterBurst() -> MemoryTrimmer {
    var memory = MemoryTrimmer()
    memory.count(recipients: 8_192, at: start)
    return memory
  }

  @Test func `memory is freed once, half a minute after a burst`() {
    var memory = trimmerAfterBurst()
    #expect(memory.wake == start + .seconds(30))
    let tooEarly = memory.beginTrim(at: start + .milliseconds(29_999))
    #expect(!tooEarly)
    let inTime = memory.beginTrim(at: start + .seconds(30))
    #expect(inTime)
    #expect(memory.wake == nil)
    let hasTrimmedAgain = memory.beginTrim(at: start + .seconds(60))
    #expect(!hasTrimmedAgain, "nothing is left to free")
  }

  @Test func `memory is kept while a burst continues`() {
    var memory = trimmerAfterBurst()
    memory.count(recipients: 4_096, at: start + .seconds(20))
    let duringBurst = memory.beginTrim(at: start + .seconds(30))
    #expect(!duringBurst)
    #expect(memory.wake == start + .seconds(50))
    memory.count(recipients: 4_095, at: start + .seconds(40))
    let isOver = memory.beginTrim(at: start + .seconds(50))
    #expect(isOver, "4,095 recipients do not extend the wait")
  }

  @Test func `many single recipients count like a burst`() {
    var memory = MemoryTrimmer()
    for number in 0..<4_095 { memory.count(recipients: 1, at: start + .seconds(number)) }
    #expect(memory.wake == nil)
    memory.count(recipients: 1, at: start + .seconds(5_000))
    #expect(memory.wake == start + .seconds(5_030))
  }

  @Test func `a clock that was set back does not delay the trim`() {
    var memory = trimmerAfterBurst()
    let hasBegun = memory.beginTrim(at: start - .seconds(1))
    #expect(hasBegun)
  }
}
