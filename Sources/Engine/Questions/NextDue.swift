import CivilTime
import TimerWheel

/// The next due instants, each with its number of recipients. Counting the recipients of a burst
/// visits the timer of each, which takes too long for every engine cycle. So the counts are cached.
struct NextDue {
  struct Value: Sendable {
    var at: Instant
    /// The number of recipients due at that instant.
    var count: Int
    /// Recipients due at that instant; not all of them in a burst.
    var rows: [UInt32]

    /// Whether other recipients than those in `rows` are due at that instant.
    var isPartial: Bool { rows.count < count }
  }

  /// The number of instants shown.
  static let instantCount = 5
  /// The maximum number of timers visited in each cycle.
  private static let visitsMax = 256
  /// The maximum number of timers visited once a second. If the first instant has more timers, all
  /// of these are visited.
  private static let recountMax = 65_536
  /// The maximum age of counts of a burst.
  private static let pause = TimeSpan.seconds(1)

  /// The due instants in order of time. Later instants are missing if they have too many timers.
  private(set) var values: [Value] = []
  /// The latest counts of a burst.
  private var burstValues: [Value] = []
  /// When the counts of a burst were last updated.
  private var lastRecount = Instant(milliseconds: 0)
  /// Whether `values` are earlier counts of a burst.
  private var isOutdated = false

  /// When the values have to be updated; nil if they are current.
  var wake: Instant? { isOutdated ? lastRecount + Self.pause : nil }

  /// Updates the values from the wheel, or from earlier counts if counting would take too long.
  mutating func update(from wheel: inout TimerWheel, now: Instant) {
    isOutdated = false
    if let soonest = wheel.soonest(Self.instantCount, lookingAtMost: Self.visitsMax) {
      values = soonest.map(Value.init)
      return
    }
    let isRecent = lastRecount <= now && now < lastRecount + Self.pause
    if isRecent, let first = burstValues.first, first.at.milliseconds == wheel.earliest() {
      values = burstValues
      isOutdated = true
      return
    }
    let soonest = wheel.soonest(
      Self.instantCount, lookingAtMost: Self.recountMax, wholeFirst: true)
    burstValues = (soonest ?? []).map(Value.init)
    (values, lastRecount) = (burstValues, now)
  }
}

extension NextDue.Value {
  fileprivate init(_ group: TimerGroup) {
    self.init(
      at: Instant(milliseconds: group.deadline), count: group.count, rows: group.payloads)
  }
}
