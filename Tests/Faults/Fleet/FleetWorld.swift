import CivilTime
import Fleet
import TestSupport

/// The time, randomness and findings of a simulated fleet. The world may be used on one thread
/// only.
final class FleetWorld {
  let times: FleetTimes
  var random: SplitMix64
  private(set) var now = TimeSpan.zero
  private(set) var findings: [String] = []
  var tally = FleetTally()
  private var timeline = Timeline()

  init(_ random: SplitMix64, _ times: FleetTimes) {
    (self.random, self.times) = (random, times)
  }

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

  func report(_ what: String) { findings.append("at \(now): \(what)") }

  /// Drops all future actions, so that they retain nothing.
  func end() { timeline.clear() }

  /// Returns a random time span. The range is in milliseconds.
  func milliseconds(_ range: Range<Int>) -> TimeSpan { .milliseconds(random.int(in: range)) }
}

/// The totals of simulated fleets.
struct FleetTally {
  var steps = 0
  var evicted = 0
  var released = 0
  var events = 0
  var repeats = 0
  /// The longest time without an owner after a death.
  var afterDeath = TimeSpan.zero
  /// The longest time without an owner after a hang.
  var afterHang = TimeSpan.zero

  mutating func add(takeover length: TimeSpan, afterDeath isDeath: Bool) {
    if isDeath {
      afterDeath = max(afterDeath, length)
    } else {
      afterHang = max(afterHang, length)
    }
  }

  static func += (left: inout FleetTally, right: FleetTally) {
    left.steps += right.steps
    left.evicted += right.evicted
    left.released += right.released
    left.events += right.events
    left.repeats += right.repeats
    left.afterDeath = max(left.afterDeath, right.afterDeath)
    left.afterHang = max(left.afterHang, right.afterHang)
  }
}
