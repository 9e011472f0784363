import CivilTime
import Reminders
import Testing

@testable import Engine

/// The due times of recipients.
@Suite struct ScheduleIndexTests {
  private let start = Instant(milliseconds: 1_772_452_800_000)

  private func due(in seconds: Int) -> Schedule {
    Schedule(due: start + .seconds(seconds), pending: 2)
  }

  @Test func `due recipients are returned in the order of rows`() {
    var index = ScheduleIndex(now: start)
    for row in UInt32(1)...3 { index.load(row, due(in: 10 - Int(row)), isStale: false) }
    let counts = (index.recipients, index.pending)
    #expect(counts == (3, 6))
    let earliest = index.earliest()
    #expect(earliest == start + .seconds(7))
    index.advance(to: start + .seconds(8))
    let rows = Array(index.firstDue())
    #expect(rows == [2, 3])
    index.remove(due: 2, stale: 0)
    let (hasWork, next) = (index.hasWork, index.earliest())
    #expect(!hasWork && next == start + .seconds(9))
  }

  @Test func `a new schedule replaces the previous schedule`() {
    var index = ScheduleIndex(now: start)
    index.load(1, due(in: 10), isStale: false)
    index.apply([(1, due(in: 20), 2), (2, due(in: 30), 0)], newcomers: 1)
    let (counts, earliest) = ((index.recipients, index.pending), index.earliest())
    #expect(counts == (2, 4) && earliest == start + .seconds(20))
    index.apply([(1, nil, 2)], newcomers: -1)
    let (rest, next) = ((index.recipients, index.pending), index.earliest())
    #expect(rest == (1, 2) && next == start + .seconds(30), "an erased recipient has no timer")
  }

  /// The first batch is small, and the next ones grow while recipients are due.
  @Test func `a burst is fired in growing batches`() {
    var index = ScheduleIndex(now: start)
    for row in UInt32(1)...20_000 { index.load(row, due(in: 1), isStale: false) }
    index.advance(to: start + .seconds(1))
    var counts: [Int] = []
    while index.hasWork {
      counts.append(index.firstDue().count)
      index.remove(due: counts.last ?? 0, stale: 0)
    }
    #expect(counts == [256, 1_024, 4_096, 8_192, 6_432])
    index.apply([(1, due(in: 2), 2)], newcomers: 0)
    index.advance(to: start + .seconds(2))
    let rows = Array(index.firstDue())
    #expect(rows == [1])
  }

  @Test func `stale recipients wait to be replanned`() {
    var index = ScheduleIndex(now: start)
    index.load(1, due(in: 10), isStale: true)
    index.load(2, due(in: 10), isStale: false)
    let (stale, earliest) = (Array(index.firstStale()), index.earliest())
    #expect(stale == [1] && earliest == start + .seconds(10))
    index.remove(due: 0, stale: 1)
    index.replanEveryone()
    let everyone = Array(index.firstStale())
    #expect(everyone == [1, 2])
  }

  /// The wheel reuses a free index for another recipient's timer.
  @Test func `a change of a recipient without a timer cancels no other timer`() {
    var index = ScheduleIndex(now: start)
    index.load(1, due(in: 1), isStale: false)
    index.advance(to: start + .seconds(1))
    index.load(2, due(in: 5), isStale: false)
    index.apply([(1, due(in: 3), 2)], newcomers: 0)
    index.apply([(1, nil, 2)], newcomers: -1)
    index.remove([(7, 0), (1, 0)])
    let earliest = index.earliest()
    #expect(earliest == start + .seconds(5))
    index.replanEveryone()
    let everyone = Array(index.firstStale())
    #expect(everyone == [2], "erased or released recipients are not replanned")
  }
}
