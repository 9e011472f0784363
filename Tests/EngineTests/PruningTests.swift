import CivilTime
import Store
import Testing

@testable import Engine

/// Rule H7: the steps and rounds of pruning.
@Suite struct PruningTests {
  private let start = Instant(milliseconds: 1_772_452_800_000)

  private func pruning() -> Pruning {
    var pruning = Pruning(now: start)
    pruning.retention = Retention()
    return pruning
  }

  @Test func `H7: nothing is pruned without a retention`() {
    let pruning = Pruning(now: start)
    #expect(pruning.wake == nil)
    #expect(!pruning.isDue(at: start + .days(1)))
  }

  @Test func `H7: a part is examined up to its end, and then the next part`() throws {
    var pruning = pruning()
    for part in RetentionPart.allCases {
      #expect(pruning.parts.first == part)
      pruning.endStep(at: 128)
      #expect(pruning.parts.first == part)
      #expect(pruning.cursor == 128)
      pruning.endStep(at: nil)
      #expect(pruning.cursor == 0)
    }
    #expect(pruning.parts.isEmpty)
  }

  @Test func `H7: the next step follows at once, the next round after hours`() throws {
    var pruning = pruning()
    #expect(!pruning.isDue(at: start))
    let first = try #require(pruning.wake)
    #expect(pruning.isDue(at: first))
    pruning.beginStep(at: first)
    #expect(try #require(pruning.wake) < first + .seconds(1))
    for _ in RetentionPart.allCases { pruning.endStep(at: nil) }
    pruning.endRound(at: first)
    #expect(pruning.parts.count == RetentionPart.allCases.count)
    #expect(try #require(pruning.wake) > first + .hours(1))
  }

  @Test func `H7: the time of the last round changes only when a round has ended`() {
    var pruning = pruning()
    for _ in RetentionPart.allCases { pruning.endStep(at: nil) }
    #expect(pruning.lastEnd == start)
    pruning.endRound(at: start + .hours(2))
    #expect(pruning.lastEnd == start + .hours(2))
    pruning.clockWasSetBack(to: start + .hours(1))
    #expect(pruning.lastEnd == start + .hours(1))
  }

  @Test func `H7: a step that the store has refused is tried again at its cursor`() throws {
    var pruning = pruning()
    pruning.endStep(at: 128)
    pruning.postponeStep(at: start)
    #expect(pruning.cursor == 128)
    #expect(pruning.parts.count == RetentionPart.allCases.count)
    #expect(try #require(pruning.wake) > start + .hours(1))
  }

  @Test func `T6: a clock that is set back delays no round`() throws {
    var pruning = pruning()
    pruning.endRound(at: start + .days(300))
    pruning.clockWasSetBack(to: start)
    #expect(pruning.isDue(at: start + .days(1)))
  }
}
