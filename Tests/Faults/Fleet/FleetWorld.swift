import CivilTime
import Fleet
import TestSupport

/// The time, randomness and findings of a simulated fleet. The world may be used on one thread
/// only.
final class FleetWorld {
  /// The spans by which the fleet's nodes decide.
  let times: FleetTimes
  var random: SplitMix64
  /// The time since the start of the simulation.
  private(set) var now = TimeSpan.zero
  private(set) var findings: [String] = []
  var tally = FleetTally()
  private var timeline = Timeline()

  init(_ random: SplitMix64, _ times: FleetTimes) {
    (self.random, self.times) = (random, times)
  }

  /// Schedules an action.
  func after(_ span: TimeSpan, _ body: @escaping () -> Void) {
    timeline.add(at: now + max(span, .zero), body)
  }

  /// Advances the time to an instant, or until there is a finding or `isEnough` returns true.
  func run(until end: TimeSpan, _ isEnough: () -> Bool = { false }) {
    while findings.isEmpty, let next = timeline.next, next <= end, let body = timeline.take() {
      now = next
      body()
      tally.steps += 1
      if isEnough() { return }
    }
    now = max(now, end)
  }

  /// Records a finding.
  func report(_ what: String) { findings.append("at \(now): \(what)") }

  /// Drops all future actions, so that they no longer retain objects.
  func end() { timeline.clear() }

  /// Returns a random time span within a range of milliseconds.
  func milliseconds(_ range: Range<Int>) -> TimeSpan { .milliseconds(random.int(in: range)) }
}

/// The totals of simulated fleets.
struct FleetTally {
  /// The number of actions that the world has run.
  var steps = 0
  /// The number of nodes that others have evicted.
  var evictions = 0
  /// The number of shards that their owners have given away.
  var releases = 0
  var events = 0
  /// The number of repeated deliveries.
  var repeats = 0
  /// The longest time for which a shard had no owner after a death.
  var longestAfterDeath = TimeSpan.zero
  /// The longest time for which a shard had no owner after a hang.
  var longestAfterHang = TimeSpan.zero

  mutating func add(takeover length: TimeSpan, afterDeath isDeath: Bool) {
    if isDeath {
      longestAfterDeath = max(longestAfterDeath, length)
    } else {
      longestAfterHang = max(longestAfterHang, length)
    }
  }

  static func += (left: inout FleetTally, right: FleetTally) {
    left.steps += right.steps
    left.evictions += right.evictions
    left.releases += right.releases
    left.events += right.events
    left.repeats += right.repeats
    left.longestAfterDeath = max(left.longestAfterDeath, right.longestAfterDeath)
    left.longestAfterHang = max(left.longestAfterHang, right.longestAfterHang)
  }
}
