import CivilTime
import TestSupport
import Testing

@Suite struct TimeSpanTests {
  @Test(arguments: [
    ("500ms", 500), ("1s", 1_000), ("15m", 900_000), ("12h", 43_200_000), ("3d", 259_200_000),
    ("2w", 1_209_600_000), ("0s", 0), ("0d", 0), ("007s", 7_000), ("1d 12h", 129_600_000),
    ("1h30m", 5_400_000), ("1w 1d 1h 1m 1s 1ms", 694_861_001), ("90m", 5_400_000),
    ("PT15M", 900_000), ("P3D", 259_200_000), ("PT1H30M", 5_400_000), ("P2W", 1_209_600_000),
    ("P1DT12H", 129_600_000), ("PT0S", 0), ("PT0.5S", 500), ("PT1.05S", 1_050),
    ("PT1M0.001S", 60_001), ("PT36H", 129_600_000),
  ])
  func `a time span is read in both notations`(text: String, milliseconds: Int64) {
    #expect(TimeSpan(text) == TimeSpan(milliseconds: milliseconds))
  }

  @Test(arguments: [
    "", " ", "1", "s", "1 s", "1S", "-1s", "+1s", "1.5h", "1y", "1M", "1min", "1sec", "1s ",
    " 1s", "1h  30m", "30m1h", "1h1h", "1h 30", "1ms1s", "1s\n", "１s", "1,5s",
    "P", "PT", "P1", "P1DT", "PT1D", "P1H", "P1M", "P1Y", "PT1S1M", "PT1M1M", "PT.5S", "PT1.S",
    "PT1.2345S", "PT0.5M", "PT0.5", "P1.5D", "-PT1S", "PT-1S", "pt1s", "P1WT", "PT1H 30M", "P1D1W",
    "P 1D", "TP1S", "PPT1S", "PT1HT1M", "99999999999999999999d", "9999999999999999s", "3659635d",
    "P3659634DT0.001S", "18446744073709551616ms",
  ])
  func `an invalid time span is rejected`(text: String) {
    #expect(TimeSpan(text) == nil)
  }

  @Test(arguments: [
    (0, "0s"), (1, "1ms"), (500, "500ms"), (1_000, "1s"), (1_500, "1s 500ms"), (900_000, "15m"),
    (43_200_000, "12h"), (93_600_000, "1d 2h"), (259_200_000, "3d"), (1_209_600_000, "14d"),
    (-5_400_000, "-1h 30m"),
  ])
  func `a time span is written`(milliseconds: Int64, text: String) {
    #expect(TimeSpan(milliseconds: milliseconds).description == text)
  }

  @Test(arguments: [UInt64.random(in: 0 ... .max)])
  func `a written time span is read as the same span`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    for _ in 0..<2_000 {
      let digits = Int.random(in: 0..<15, using: &generator)
      let limit = (0..<digits).reduce(Int64(1)) { product, _ in product * 10 }
      let span = TimeSpan(milliseconds: .random(in: 0...limit, using: &generator))
      #expect(TimeSpan(span.description) == span, "seed \(seed)")
    }
  }

  @Test func `the longest time span is accepted, and extremes do not overflow`() {
    #expect(TimeSpan("3659634d") == TimeSpan.longest)
    #expect(TimeSpan(milliseconds: .min).description.hasPrefix("-106751991167d"))
  }

  @Test func `time spans are added, subtracted, multiplied and compared`() {
    #expect(TimeSpan.seconds(90) == .minutes(1) + .milliseconds(30_000))
    #expect(TimeSpan.days(1) - .hours(25) == -TimeSpan.hours(1))
    #expect(TimeSpan.minutes(20) * 3 == .hours(1))
    #expect(TimeSpan.minutes(59) < .hours(1))
  }
}
