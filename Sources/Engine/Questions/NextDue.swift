import CivilTime
import TimerWheel

/// When somebody is due next, and how many are, kept for those who ask: to count a crowd takes a
/// look at each of it, which no turn has the time for.
struct NextDue {
  struct Value: Sendable {
    var at: Instant
    var count: Int
    /// One of the recipients.
    var row: UInt32
  }

  /// How many instants are shown.
  private static let shown = 5
  /// How many timers are looked at with each turn.
  private static let looksMax = 256
  /// How many are looked at now and then, or all of those that come first.
  private static let recountMax = 65_536
  /// How old the numbers of crowds may be.
  private static let pause = TimeSpan.seconds(1)

  /// In the order of their instants. There may be later ones that are left out, for they could not
  /// be counted soon enough.
  private(set) var values: [Value] = []
  /// Batches that were counted, and when.
  private var batches: [Value] = []
  private var counted = Instant(milliseconds: 0)
  private var isBehind = false

  /// When the numbers are to be brought up to date, if they are not.
  var wake: Instant? { isBehind ? counted + Self.pause : nil }

  mutating func look(at wheel: inout TimerWheel, now: Instant) {
    isBehind = false
    if let soonest = wheel.soonest(Self.shown, lookingAtMost: Self.looksMax) {
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
      Self.shown, lookingAtMost: Self.recountMax, wholeFirst: true)
    batches = (soonest ?? []).map(Value.init)
    (values, counted) = (batches, now)
  }
}

extension NextDue.Value {
  fileprivate init(_ group: TimerGroup) {
    self.init(
      at: Instant(milliseconds: group.deadline), count: group.count, row: group.payload)
  }
}
