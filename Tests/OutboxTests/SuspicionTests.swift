import CivilTime
import Outbox
import Testing

/// Rule D9: a few crashes are enough to find the delivery that causes them.
@Suite struct SuspicionTests {
  @Test(arguments: [(32_768, 181), (256, 16), (64, 8), (2, 1), (1, 1)])
  func `D9: after one crash, the batch limit of suspects is the window's square root`(
    window: Int, root: Int
  ) {
    #expect(Suspicion.batchMax(deaths: 0, window: window) == window)
    #expect(Suspicion.batchMax(deaths: 1, window: window) == root)
    for deaths in 2...9 { #expect(Suspicion.batchMax(deaths: deaths, window: window) == 1) }
  }

  @Test func `D9: after two crashes, suspects are sent later and one at a time`() {
    let start = Instant(milliseconds: 1_000_000)
    let dues = (0..<200).map { Suspicion.due($0, start: start) }
    #expect(dues[0] == start + .seconds(5))
    #expect(zip(dues, dues.dropFirst()).allSatisfy { $1 - $0 == .milliseconds(50) })
  }
}
