import CivilTime
import Glibc
import TestSupport
import Testing

@Suite struct HTTPDateTests {
  @Test(arguments: [
    (784_111_777_000, "Sun, 06 Nov 1994 08:49:37 GMT"),
    (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
    (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
    (1_772_416_800_999, "Mon, 02 Mar 2026 02:00:00 GMT"),
    (951_827_696_789, "Tue, 29 Feb 2000 12:34:56 GMT"),
    (-62_167_219_200_000, "Sat, 01 Jan 0000 00:00:00 GMT"),
    (253_402_300_799_999, "Fri, 31 Dec 9999 23:59:59 GMT"),
  ])
  func `an instant is written as an HTTP date`(milliseconds: Int64, text: String) {
    #expect(Instant(milliseconds: milliseconds).httpDate == text)
  }

  @Test(arguments: [.min, -62_167_219_200_001, 253_402_300_800_000, .max])
  func `a year without four digits has no HTTP date`(milliseconds: Int64) {
    #expect(Instant(milliseconds: milliseconds).httpDate == nil)
  }

  @Test(arguments: [
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
  ])
  func `all three formats of HTTP dates are read`(text: String) {
    #expect(Instant(httpDate: text)?.milliseconds == 784_111_777_000)
  }

  @Test func `a year of two digits is between 1970 and 2069`() {
    #expect(
      Instant(httpDate: "Friday, 01-Mar-69 00:00:00 GMT")
        == Instant(httpDate: "Fri, 01 Mar 2069 00:00:00 GMT"))
    #expect(
      Instant(httpDate: "Sunday, 01-Mar-70 00:00:00 GMT")
        == Instant(httpDate: "Sun, 01 Mar 1970 00:00:00 GMT"))
  }

  @Test(arguments: [
    "", "Sun", "120", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET",
    "Sun, 31 Feb 2026 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
    "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 08:00 GMT", "Sun, 06 nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 994 08:49:37 GMT", "Sun, 6x Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 08:49:37:00 GMT", "Sun, 06 Nov 99999999999999999999 08:49:37 GMT",
  ])
  func `an invalid HTTP date is rejected`(text: String) {
    #expect(Instant(httpDate: text) == nil)
  }

  @Test(arguments: [UInt64.random(in: 0 ... .max)])
  func `HTTP dates agree with the system's strftime`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    var mismatches = Mismatches()
    for _ in 0..<20_000 {
      // The range begins in the year 1000, because strftime writes earlier years with fewer than
      // four digits.
      let range: Range<Int64> = -30_610_224_000..<253_402_300_800
      let seconds = Int64.random(in: range, using: &generator)
      let instant = Instant(
        milliseconds: seconds * 1_000 + .random(in: 0..<1_000, using: &generator))
      let date = systemDate(seconds)
      mismatches.compare(instant.httpDate, date, "\(seconds)")
      mismatches.compare(Instant(httpDate: date)?.seconds, seconds, date)
    }
    #expect(mismatches.count == 0, "seed \(seed): \(mismatches)")
  }

  /// Returns the date as the system's strftime writes it. The names are English, because a program
  /// runs in the C locale until it sets another locale.
  private func systemDate(_ seconds: Int64) -> String {
    var time = time_t(seconds)
    var fields = tm()
    gmtime_r(&time, &fields)
    var text = [CChar](repeating: 0, count: 64)
    let count = strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &fields)
    return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
