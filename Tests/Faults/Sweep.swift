import FaultyDisk
import Reminders

/// Fails each call to the disk in turn, once and from then on, that a service makes while something
/// rare is done; and looks what came of the days around it as of any others.
struct Sweep {
  /// What is done while the disk fails.
  enum Deed: CaseIterable {
    case erase, backUp, reload, restart, prune
  }

  struct Point {
    let deed: Deed
    /// Which of the calls fails, from the deed on.
    let call: Int
    let isForGood: Bool
  }

  /// Every how many calls one fails.
  let stride: Int
  let seed: UInt64
  let planner: Planner

  /// - Returns: how many lives were lived for each deed, and what was wrong with them.
  func run() throws -> (tally: Tally, points: [Deed: Int], findings: [String]) {
    var tally = Tally()
    var findings: [String] = []
    var points: [Deed: Int] = [:]
    for deed in Deed.allCases {
      for isForGood in [false, true] {
        var call = 1 + Int(seed % UInt64(stride))
        while findings.isEmpty {
          let point = Point(deed: deed, call: call, isForGood: isForGood)
          let life = try Life(
            seed: seed, length: 2, planner: planner, Circumstances(seed: seed, sweep: point),
            sweep: point)
          findings += try life.run().map { "\(point): \($0)" }
          tally += life.tally
          points[deed, default: 0] += 1
          // There were not so many calls.
          guard life.disk.faults > 0 else { break }
          call += stride
        }
      }
    }
    return (tally, points, findings)
  }
}
