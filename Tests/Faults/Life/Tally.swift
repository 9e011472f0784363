/// What lives have seen, to be told at the end.
struct Tally {
  var userDays = 0.0
  var deaths = 0
  var failures = 0
  var deliveries = 0
  var events = 0
  var diskCalls = 0
  /// What receivers said that a grammar had written.
  var answers = 0
  /// How many batches were answered for in part.
  var parts = 0
  /// The most that a turn looked at for each thing that it had to do with one that is pending.
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
