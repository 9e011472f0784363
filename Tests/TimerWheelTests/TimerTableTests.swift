import Testing
import TimerWheel

@Suite struct TimerTableTests {
  @Test func `an index is reused under another handle`() {
    var table = TimerTable()
    let first = table.claim(payload: 1)
    let payload = table.release(first.index)
    let second = table.claim(payload: 2)
    let (firstLives, secondLives) = (table.isLive(first), table.isLive(second))
    #expect(payload == 1)
    #expect(first != second)
    #expect(!firstLives && secondLives)
  }

  @Test func `an index that has used its last generation is retired`() {
    var fresh = TimerTable()
    let firstHandle = fresh.claim(payload: 0)
    var table = TimerTable(firstGeneration: .max - 3)
    var handles: Set<TimerHandle> = []
    for payload in 0..<100 as Range<UInt32> {
      let handle = table.claim(payload: payload)
      handles.insert(handle)
      table.release(handle.index)
    }
    let survivors = handles.filter { table.isLive($0) }
    #expect(handles.count == 100)
    #expect(!handles.contains(firstHandle), "no generation is used twice")
    #expect(survivors.isEmpty)
  }

  @Test func `the index of a cancelled timer is reused only after it is freed`() {
    var table = TimerTable()
    let first = table.claim(payload: 1)
    let (wasLive, isLive) = (table.cancel(first), table.isLive(first))
    let isCancelledAgain = table.cancel(first)
    let second = table.claim(payload: 2)
    table.free(first.index)
    let third = table.claim(payload: 3)
    #expect(wasLive && !isLive && !isCancelledAgain)
    #expect(second.index != first.index)
    #expect(third.index == first.index && third != first)
  }

  @Test func `payloads survive the growth of the table`() {
    var table = TimerTable()
    let handles = (0..<100_000 as Range<UInt32>).map { table.claim(payload: $0) }
    let payloads = handles.map { table.release($0.index) }
    let liveCount = table.liveCount
    #expect(payloads == Array(0..<100_000))
    #expect(liveCount == 0)
  }
}
