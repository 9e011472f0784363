import FaultyDisk
import Reminders

/// Tests rare operations with a failing disk. In each run, a different disk call of the operation
/// fails. In a first series of runs, only that call fails; in a second series, all later calls fail
/// too. Each run is checked like an ordinary run.
struct Sweep {
  /// The operation during which the disk fails.
  enum Operation: CaseIterable {
    case erase, backUp, reload, restart, prune
  }

  /// The point of an operation at which the disk fails.
  struct Point {
    let operation: Operation
    /// The number of the failing call since the operation began; 1 is the first call.
    let call: Int
    /// Whether all later calls fail too.
    let isPermanent: Bool
  }

  /// The distance between the numbers of the calls that fail: 1 for every call.
  let stride: Int
  let seed: UInt64
  let planner: Planner

  /// Runs the sweep.
  ///
  /// - Returns: the totals, the number of runs for each operation, and the findings.
  func run() throws -> (tally: Tally, points: [Operation: Int], findings: [String]) {
    var tally = Tally()
    var findings: [String] = []
    var points: [Operation: Int] = [:]
    for operation in Operation.allCases {
      for isPermanent in [false, true] {
        var call = 1 + Int(seed % UInt64(stride))
        while findings.isEmpty {
          let point = Point(operation: operation, call: call, isPermanent: isPermanent)
          let life = try Life(
            seed: seed, length: 2, planner: planner, Circumstances(seed: seed, sweep: point),
            sweep: point)
          findings += try life.run().map { "\(point): \($0)" }
          tally += life.tally
          points[operation, default: 0] += 1
          // If no call has failed, the operation has fewer calls.
          guard life.disk.faults > 0 else { break }
          call += stride
        }
      }
    }
    return (tally, points, findings)
  }
}
