import CivilTime
import DeliverySamples
import Sinks
import Testing

/// The parser of Retry-After (RFC 9110, section 10.2.3). The current time is noon of 2 March 2026.
@Suite struct RetryAfterTests {
  @Test(arguments: [
    ("0", TimeSpan.zero), ("120", .seconds(120)), ("007", .seconds(7)), (" 5\t", .seconds(5)),
    ("86400", .hours(24)), ("86401", .hours(24)), ("9223372036854775807", .hours(24)),
    ("9223372036854775808", .hours(24)), (String(repeating: "9", count: 9_000), .hours(24)),
  ])
  func `D2: Retry-After may be in seconds, and is limited to a day`(text: String, span: TimeSpan) {
    #expect(RetryAfter.span(text, now: Fixtures.noon) == span)
  }

  @Test(arguments: [
    ("Mon, 02 Mar 2026 12:00:30 GMT", TimeSpan.seconds(30)),
    ("Monday, 02-Mar-26 12:00:30 GMT", .seconds(30)), ("Mon Mar  2 12:00:30 2026", .seconds(30)),
    ("Mon, 02 Mar 2026 12:00:00 GMT", .zero), ("Mon, 02 Mar 2026 11:59:59 GMT", .zero),
    ("Thu, 01 Jan 1970 00:00:00 GMT", .zero), ("Mon, 01 Jan 0001 00:00:00 GMT", .zero),
    ("Mon, 02 Mar 2099 11:00:00 GMT", .hours(24)), ("Fri, 31 Dec 9999 23:59:60 GMT", .hours(24)),
  ])
  func `D2: Retry-After may be a date in three forms`(text: String, span: TimeSpan) {
    #expect(RetryAfter.span(text, now: Fixtures.noon) == span)
  }

  @Test(arguments: [
    "", " ", "-1", "+5", "1.5", "1e3", "0x10", "5 s", "5, 7", "soon", "\u{0}5", "٣", "５",
    "Mon, 30 Feb 2026 12:00:30 GMT", "Mon, 02 Mar 2026 12:00:30", "Mon, 02 Mar 2026 25:00:00 GMT",
    "Mon, 02 Mar 99999 12:00:30 GMT", "Mon, 99999999999999999999 Mar 2026 12:00:30 GMT",
    "Mon, 02 Mar 2026 99999999999999999999:00:30 GMT", "\u{fffd}\u{fffd}", "2026-03-02T12:00:30Z",
  ])
  func `D2: an invalid Retry-After is ignored`(text: String) {
    #expect(RetryAfter.span(text, now: Fixtures.noon) == nil)
  }
}
