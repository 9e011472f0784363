import Testing

@testable import TimerWheel

@Suite struct TimerTableTests {
  @Test func anIndexIsReusedUnderAnotherHandle() {
    var table = TimerTable()
    let first = table.claim(deadline: 10, payload: 1)
    let payload = table.end(first.index)
    table.free(first.index)
    let second = table.claim(deadline: 20, payload: 2)
    let (firstLives, secondLives) = (table.isLive(first), table.isLive(second))
    #expect(payload == 1)
    #expect(first != second)
    #expect(first.index == second.index)
    #expect(!firstLives && secondLives)
  }

  @Test func anIndexIsNotReusedBeforeItIsFree() {
    var table = TimerTable()
    let first = table.claim(deadline: 10, payload: 1)
    table.end(first.index)
    let second = table.claim(deadline: 20, payload: 2)
    let (firstLives, deadline) = (table.isLive(first.index), table.deadline(of: first.index))
    #expect(first.index != second.index)
    #expect(!firstLives && deadline == 10)
  }

  @Test func anIndexOutOfGenerationsIsRetired() {
    var fresh = TimerTable()
    let veryFirst = fresh.claim(deadline: 0, payload: 0)
    var table = TimerTable(firstGeneration: .max - 3)
    var handles: Set<TimerHandle> = []
    for payload in 0..<100 as Range<UInt32> {
      let handle = table.claim(deadline: 0, payload: payload)
      handles.insert(handle)
      table.end(handle.index)
      table.free(handle.index)
    }
    let survivors = handles.filter { table.isLive($0) }
    #expect(handles.count == 100)
    #expect(!handles.contains(veryFirst), "the generations of an index began again")
    #expect(survivors.isEmpty)
  }

  @Test func deadlinesAndPayloadsOutliveGrowth() {
    var table = TimerTable()
    let handles = (0..<100_000 as Range<UInt32>).map {
      table.claim(deadline: Int64($0) << 20, payload: $0)
    }
    let deadlines = handles.map { table.deadline(of: $0.index) }
    let payloads = handles.map { table.end($0.index) }
    let liveCount = table.liveCount
    #expect(payloads == Array(0..<100_000))
    #expect(deadlines == (0..<100_000).map { $0 << 20 })
    #expect(liveCount == 0)
  }
}
