/// The totals of simulated runs.
struct Tally {
  /// The number of simulated days, summed over all people.
  var userDays = 0.0
  /// The number of processes that were killed or lost power.
  var deaths = 0
  /// The number of processes that ended after a failure of the disk.
  var failures = 0
  var deliveries = 0
  var events = 0
  var diskCalls = 0
  /// The number of HTTP answers that a grammar generated.
  var answers = 0
  /// The number of partly answered batches.
  var parts = 0
  /// The highest number of steps of work in a cycle, per task and pending occurrence.
  var stepsMax = 0.0

  static func += (left: inout Tally, right: Tally) {
    left.userDays += right.userDays
    left.deaths += right.deaths
    left.failures += right.failures
    left.deliveries += right.deliveries
    left.events += right.events
    left.diskCalls += right.diskCalls
    left.answers += right.answers
    left.parts += right.parts
    left.stepsMax = max(left.stepsMax, right.stepsMax)
  }
}
