import CivilTime
import Testing

@testable import chimectl

@Suite struct CountdownTests {
  static let spans: [(span: TimeSpan, text: String)] = [
    (.zero, "now"), (.milliseconds(499), "now"), (.milliseconds(-499), "now"),
    (.milliseconds(500), "in 1 s"), (.seconds(59), "in 59 s"), (.seconds(60), "in 1 min"),
    (.seconds(119), "in 1 min"), (.minutes(59), "in 59 min"), (.hours(1), "in 1 h"),
    (.hours(9), "in 9 h"), (.hours(9) - .milliseconds(5), "in 9 h"),
    (.hours(9) - .seconds(1), "in 8 h 59 min"), (.hours(24) - .seconds(1), "in 23 h 59 min"),
    (.hours(24), "in 1 d"), (.hours(49), "in 2 d 1 h"), (.days(365), "in 365 d"),
    (.seconds(-5), "5 s ago"), (.minutes(-90), "1 h 30 min ago"),
  ]

  @Test(arguments: spans)
  func `a countdown shows the distance in time`(span: TimeSpan, text: String) {
    let now = Instant(milliseconds: 1_772_416_800_000)
    #expect(TimeDistance.text(to: now + span, from: now) == text)
  }
}
