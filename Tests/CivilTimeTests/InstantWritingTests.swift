import CivilTime
import TestSupport
import Testing

@Suite struct InstantWritingTests {
  @Test(arguments: [
    (0, "1970-01-01T00:00:00.000Z"),
    (-1, "1969-12-31T23:59:59.999Z"),
    (1_772_416_800_000, "2026-03-02T02:00:00.000Z"),
    (951_827_696_789, "2000-02-29T12:34:56.789Z"),
    (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
    (-62_135_596_800_001, "0000-12-31T23:59:59.999Z"),
    (-62_167_219_200_001, "-0001-12-31T23:59:59.999Z"),
    (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
    (253_402_300_800_000, "10000-01-01T00:00:00.000Z"),
  ])
  func `an instant is written as RFC 3339`(milliseconds: Int64, text: String) {
    let instant = Instant(milliseconds: milliseconds)
    #expect(instant.description == text)
    var bytes = Array(">".utf8)
    instant.write(into: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == ">" + text)
  }

  @Test(arguments: [UInt64.random(in: 0 ... .max)])
  func `a written instant is read as the same instant`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    var mismatches = Mismatches()
    for _ in 0..<50_000 {
      let range: Range<Int64> = -62_135_596_800_000..<253_402_300_800_000
      let instant = Instant(milliseconds: .random(in: range, using: &generator))
      var bytes: [UInt8] = []
      instant.write(into: &bytes)
      let text = String(decoding: bytes, as: UTF8.self)
      mismatches.compare(Instant(text), instant, text)
      mismatches.compare(instant.description, text, "description")
    }
    #expect(mismatches.count == 0, "seed \(seed): \(mismatches)")
  }

  @Test(arguments: [UInt64.random(in: 0 ... .max)])
  func `texts sort like their instants`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    for _ in 0..<1_000 {
      let first = Instant(milliseconds: .random(in: 0..<4_000_000_000_000, using: &generator))
      let second = Instant(milliseconds: .random(in: 0..<4_000_000_000_000, using: &generator))
      #expect((first < second) == (first.description < second.description), "seed \(seed)")
    }
  }

  @Test func `extreme instants do not overflow`() {
    #expect(Instant(milliseconds: .min).description == "-292275055-05-16T16:47:04.192Z")
    #expect(Instant(milliseconds: .max).description == "292278994-08-17T07:12:55.807Z")
  }

  @Test func `spans are added to and subtracted from instants`() {
    let instant = Instant(milliseconds: 1_000)
    #expect(instant + .seconds(2) == Instant(milliseconds: 3_000))
    #expect(instant - .seconds(2) == Instant(milliseconds: -1_000))
    #expect(instant - Instant(milliseconds: 5_000) == .seconds(-4))
    #expect(instant < instant + .milliseconds(1))
  }
}
