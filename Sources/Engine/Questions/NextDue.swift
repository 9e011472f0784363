import CivilTime
import TimerWheel

/// The next due instants, each with its number of recipients. Counting a burst visits each of its
/// timers, which takes too long for every cycle, so the results are cached.
struct NextDue {
  struct Value: Sendable {
    var at: Instant
    var count: Int
    /// Recipients due at that instant; not all of them in a burst.
    var rows: [UInt32]

    var isPartial: Bool { rows.count < count }
  }

  /// The number of instants shown.
  static let instantCount = 5
  /// The number of timers visited in each cycle.
  private static let looksMax = 256
  /// The number of timers visited once a second, or all timers of the first instant if those are
  /// more.
  private static let recountMax = 65_536
  /// The maximum age of counts of a burst.
  private static let pause = TimeSpan.seconds(1)

  /// The due instants in order of time. Later ones are missing if counting them took too long.
  private(set) var values: [Value] = []
  /// The latest counts of a burst.
  private var batches: [Value] = []
  private var counted = Instant(milliseconds: 0)
  private var isBehind = false

  /// When the values have to be updated; nil if they are current.
  var wake: Instant? { isBehind ? counted + Self.pause : nil }

  mutating func update(from wheel: inout TimerWheel, now: Instant) {
    isBehind = false
    if let soonest = wheel.soonest(Self.instantCount, lookingAtMost: Self.looksMax) {
      values = soonest.map(Value.init)
      return
    }
    let isRecent = counted <= now && now < counted + Self.pause
    if isRecent, let first = batches.first, first.at.milliseconds == wheel.earliest() {
      values = batches
      isBehind = true
      return
    }
    let soonest = wheel.soonest(
      Self.instantCount, lookingAtMost: Self.recountMax, wholeFirst: true)
    batches = (soonest ?? []).map(Value.init)
    (values, counted) = (batches, now)
  }
}

extension NextDue.Value {
  fileprivate init(_ group: TimerGroup) {
    self.init(
      at: Instant(milliseconds: group.deadline), count: group.count, rows: group.payloads)
  }
}
