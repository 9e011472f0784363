import FaultyDisk
import Reminders

/// Fails each disk call of some rare operations in turn: first that call alone, then that call and
/// all later ones. Checks each run as usual.
struct Sweep {
  /// The operation during which the disk fails.
  enum Deed: CaseIterable {
    case erase, backUp, reload, restart, prune
  }

  struct Point {
    let deed: Deed
    /// The number of the failing call, from the operation on.
    let call: Int
    let isForGood: Bool
  }

  /// The distance between the numbers of the calls that fail: 1 for every call.
  let stride: Int
  let seed: UInt64
  let planner: Planner

  /// - Returns: the totals, the number of runs for each operation, and the findings.
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
          // The operation has fewer calls.
          guard life.disk.faults > 0 else { break }
          call += stride
        }
      }
    }
    return (tally, points, findings)
  }
}
