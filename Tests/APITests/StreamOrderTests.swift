import CivilTime
import Testing

@testable import API

/// Rule E4: a later line of a stream becomes a later fact.
@Suite struct StreamOrderTests {
  /// A clock that is set back by more than ten minutes is followed.
  @Test(arguments: [(5, 5), (0, 0), (-1, 0), (-600, 0), (-601, -601)])
  func `E4: a clock that is set back a little does not make later lines earlier`(
    seconds: Int, expected: Int
  ) {
    let previous = Fixtures.now
    let arrival = EventLineStream.arrival(after: previous, now: previous + .seconds(seconds))
    #expect(arrival == previous + .seconds(expected))
  }
}
