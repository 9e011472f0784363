import CivilTime
import Glibc
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
  func writes(milliseconds: Int64, text: String) {
    #expect(Instant(milliseconds: milliseconds).httpDate == text)
  }

  @Test(arguments: [.min, -62_167_219_200_001, 253_402_300_800_000, .max])
  func aYearWithoutFourDigitsHasNone(milliseconds: Int64) {
    #expect(Instant(milliseconds: milliseconds).httpDate == nil)
  }

  @Test(arguments: [UInt64.random(in: 0 ... .max)])
  func agreesWithTheSystemsLibrary(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    var mismatches = Mismatches()
    for _ in 0..<20_000 {
      // From the year 1000 on; before it the library writes fewer than four digits.
      let range: Range<Int64> = -30_610_224_000..<253_402_300_800
      let seconds = Int64.random(in: range, using: &generator)
      let instant = Instant(
        milliseconds: seconds * 1_000 + .random(in: 0..<1_000, using: &generator))
      mismatches.compare(instant.httpDate, systemDate(seconds), "\(seconds)")
    }
    #expect(mismatches.count == 0, "seed \(seed): \(mismatches)")
  }

  /// In the C locale, which is a program's until it asks for another.
  private func systemDate(_ seconds: Int64) -> String {
    var time = time_t(seconds)
    var fields = tm()
    gmtime_r(&time, &fields)
    var text = [CChar](repeating: 0, count: 64)
    let count = strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &fields)
    return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
