import CivilTime
import Testing

@Suite struct InstantReadingTests {
  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0),
    ("1970-01-01t00:00:00z", 0),
    ("1970-01-01T00:00:00.001Z", 1),
    ("1970-01-01T00:00:00.1Z", 100),
    ("1970-01-01T00:00:00.12Z", 120),
    ("1970-01-01T00:00:00.1239999999999999999999999999Z", 123),
    ("1969-12-31T23:59:59.999Z", -1),
    ("1970-01-01T01:30:00+01:30", 0),
    ("1969-12-31T16:00:00-08:00", 0),
    ("1970-01-01T00:00:00-00:00", 0),
    ("1970-01-01T23:59:00+23:59", 0),
    ("2026-03-02T02:00:00.000Z", 1_772_416_800_000),
    ("2024-02-29T12:00:00Z", 1_709_208_000_000),
    ("2000-02-29T00:00:00Z", 951_782_400_000),
    ("1990-12-31T23:59:60Z", 662_687_999_000),
    ("1990-12-31T15:59:60.5-08:00", 662_687_999_500),
    ("0001-01-01T00:00:00Z", -62_135_596_800_000),
    ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
  ])
  func `an RFC 3339 instant is read`(text: String, milliseconds: Int64) {
    #expect(Instant(text) == Instant(milliseconds: milliseconds))
    let padded = "(" + text + ")"
    #expect(Instant(padded.dropFirst().dropLast()) == Instant(milliseconds: milliseconds))
  }

  @Test(arguments: [
    "", "Z", "now", "2026", "2026-03-02", "2026-03-02T02:00Z", "2026-03-02T02:00:00",
    "2026-03-02 02:00:00Z", "2026-03-02T02:00:00 Z", " 2026-03-02T02:00:00Z",
    "2026-03-02T02:00:00Z ", "2026-03-02T02:00:00Z\n", "2026-03-02T02:00:00Z\0",
    "2026-03-02T02:00:00.Z", "2026-03-02T02:00:00,5Z", "2026-03-02T02:00:00.5",
    "2026-03-02T02:00:00.5.5Z", "2026-03-02T02:00:00.123456789012345678901234567890",
    "2026-03-02T02:00:00+0100", "2026-03-02T02:00:00+01", "2026-03-02T02:00:00+1:00",
    "2026-03-02T02:00:00+24:00", "2026-03-02T02:00:00+01:60", "2026-03-02T02:00:00+01:00Z",
    "2026-03-02T02:00:00Z+01:00", "2026-03-02T02:00:00UTC", "2026-03-02T02:00:00−01:00",
    "2026-00-02T02:00:00Z", "2026-13-02T02:00:00Z", "2026-03-00T02:00:00Z",
    "2026-03-32T02:00:00Z", "2026-04-31T02:00:00Z", "2026-02-29T02:00:00Z",
    "1900-02-29T02:00:00Z", "2100-02-29T00:00:00Z", "2026-03-02T24:00:00Z",
    "2026-03-02T02:60:00Z", "2026-03-02T02:00:61Z", "2026-3-02T02:00:00Z",
    "+2026-03-02T02:00:00Z", "-026-03-02T02:00:00Z", "12026-03-02T02:00:00Z",
    "0000-12-31T23:59:59Z", "0000-12-31T23:59:59-01:00", "0001-01-01T00:00:00+00:01",
    "9999-12-31T23:59:59-00:01", "2026-03-02T+2:00:00Z", "2026/03/02T02:00:00Z",
    "2026-03-02T02-00-00Z", "٢٠٢٦-03-02T02:00:00Z", "20260302T020000Z", "2026-W10-1T02:00:00Z",
  ])
  func `an invalid instant is rejected`(text: String) {
    #expect(Instant(text) == nil)
  }

  /// Every byte of a valid text is significant, except that "t" is read as "T".
  @Test func `changing any byte changes or invalidates the instant`() throws {
    let validBytes = Array("2026-03-02T02:00:00.500+01:00".utf8)
    let instant = try #require(Instant(String(decoding: validBytes, as: UTF8.self)))
    for index in validBytes.indices {
      for byte in UInt8(1)..<128 where byte != validBytes[index] {
        var bytes = validBytes
        bytes[index] = byte
        let text = String(decoding: bytes, as: UTF8.self)
        let isLowerT = index == 10 && byte == UInt8(ascii: "t")
        #expect((Instant(text) == instant) == isLowerT, "\(text)")
      }
    }
  }

  @Test func `an instant is read from a borrowed buffer`() {
    #expect(
      "1970-01-01T00:00:00Z".utf8.withContiguousStorageIfAvailable(Instant.init(ascii:))
        == Instant(milliseconds: 0))
    #expect(Instant(ascii: UnsafeBufferPointer(start: nil, count: 0)) == nil)
  }
}
