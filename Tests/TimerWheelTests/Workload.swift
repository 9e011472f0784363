import TestSupport
import Testing

/// The parameters of a random program.
struct Workload: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// The initial time of the clock, in milliseconds since the epoch.
  let start: Int64
  /// The milliseconds by which the wheel's time is initially ahead of the clock.
  var lead: Int64 = 0
  var stepCount = 600

  /// The relative frequency of each operation.
  var insertions = 5
  var cancellations = 2
  var advances = 2
  var backwardSteps = 1

  /// The milliseconds from now to a new deadline.
  let distance: @Sendable (inout SplitMix64) -> Int64
  /// The milliseconds by which the clock is advanced or set back.
  let stride: @Sendable (inout SplitMix64) -> Int64

  /// Milliseconds since the epoch, late in 2026.
  static let someday: Int64 = 1_795_000_000_000
  static let hour: Int64 = 3_600_000
  static let day = 24 * hour

  static let all = [
    Workload(
      testDescription: "dense: within 200 ms, some overdue", start: someday,
      distance: { .random(in: -5...200, using: &$0) },
      stride: { .random(in: 0...60, using: &$0) }),
    Workload(
      testDescription: "sparse: within a month", start: someday,
      distance: { .random(in: -hour...30 * day, using: &$0) },
      stride: { .random(in: 0...2 * day, using: &$0) }),
    Workload(
      testDescription: "every magnitude, across the epoch", start: -100_000,
      distance: magnitude, stride: { magnitude(&$0) >> 8 }),
    Workload(
      testDescription: "far future: centuries to the end of time", start: someday,
      distance: { .random(in: 100 * 365 * day...(.max), using: &$0) },
      stride: { .random(in: 0...(.max >> 6), using: &$0) }),
    Workload(
      testDescription: "from the beginning of time", start: .min,
      distance: magnitude, stride: { magnitude(&$0) >> 1 }),
    Workload(
      testDescription: "many timers at a few instants", start: 0,
      distance: { 4096 * .random(in: 1...3, using: &$0) },
      stride: { 1024 * .random(in: 0...4, using: &$0) }),
    Workload(
      testDescription: "many cancellations", start: someday, stepCount: 4000,
      insertions: 50, cancellations: 48, advances: 1, backwardSteps: 0,
      distance: { .random(in: 1...day, using: &$0) },
      stride: { .random(in: 0...10, using: &$0) }),
    Workload(
      testDescription: "many cancellations after a clock was set back", start: someday,
      lead: 365 * day, stepCount: 4000,
      insertions: 50, cancellations: 48, advances: 1, backwardSteps: 0,
      distance: { .random(in: 1...day, using: &$0) },
      stride: { .random(in: 0...10, using: &$0) }),
    Workload(
      testDescription: "a restless clock", start: someday, insertions: 2, cancellations: 1,
      advances: 2, backwardSteps: 2,
      distance: { .random(in: -5000...5000, using: &$0) },
      stride: { .random(in: 0...3000, using: &$0) }),
  ]

  /// Returns a random distance from 0 to the maximum; each bit length is equally likely.
  private static let magnitude: @Sendable (inout SplitMix64) -> Int64 = { random in
    let bits = Int.random(in: 1...63, using: &random)
    return Int64(random.next() >> (64 - UInt64(bits)))
  }
}
