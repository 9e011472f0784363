import CivilTime
import TimerWheel

/// What is due next, and for how many recipients, kept for those who ask: to count a herd takes a
/// look at each of it, which no turn has the time for.
struct NextDue {
  struct Value: Sendable {
    var at: Instant
    var count: Int
    /// One of the recipients.
    var row: UInt32
  }

  /// How many timers are looked at with each turn.
  private static let looksMax = 256
  /// How old the number of a herd may be.
  private static let pause = TimeSpan.seconds(1)

  private(set) var value: Value?
  /// A herd that was counted, and when.
  private var herd: Value?
  private var counted = Instant(milliseconds: 0)
  private var isBehind = false

  /// When the number is to be brought up to date, if it is not.
  var wake: Instant? { isBehind ? counted + Self.pause : nil }

  mutating func look(at wheel: inout TimerWheel, now: Instant) {
    isBehind = false
    guard let at = wheel.earliest() else {
      value = nil
      return
    }
    if let soonest = wheel.soonest(lookingAtMost: Self.looksMax) {
      value = Value(soonest)
      return
    }
    let isRecent = counted <= now && now < counted + Self.pause
    if isRecent, let herd, herd.at.milliseconds == at {
      value = herd
      isBehind = true
      return
    }
    herd = wheel.soonest().map(Value.init)
    (value, counted) = (herd, now)
  }
}

extension NextDue.Value {
  fileprivate init(_ soonest: (deadline: Int64, count: Int, payload: UInt32)) {
    self.init(
      at: Instant(milliseconds: soonest.deadline), count: soonest.count, row: soonest.payload)
  }
}
