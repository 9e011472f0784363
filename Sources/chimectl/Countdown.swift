import CivilTime

/// How long it is until an instant, in the two largest units that matter.
enum Countdown {
  /// "in 23 h 59 min", "in 9 h", "in 45 s", "now", "5 min ago"; to the second, and from a minute on
  /// cut off to the minute, from a day on to the hour.
  static func text(to instant: Instant, from now: Instant) -> String {
    let milliseconds = (instant - now).milliseconds
    let seconds = (milliseconds.magnitude + 500) / 1_000
    if seconds == 0 { return "now" }
    return milliseconds < 0 ? "\(length(seconds)) ago" : "in \(length(seconds))"
  }

  /// "2 d 3 h", "23 h 59 min", "45 s".
  static func length(_ seconds: UInt64) -> String {
    switch seconds {
    case ..<60: "\(seconds) s"
    case ..<3_600: "\(seconds / 60) min"
    case ..<86_400: joined(seconds / 3_600, "h", seconds / 60 % 60, "min")
    default: joined(seconds / 86_400, "d", seconds / 3_600 % 24, "h")
    }
  }

  /// How long ago something was; nothing for what is yet to come.
  static func length(from instant: Instant, to now: Instant) -> String {
    length(seconds(from: instant, to: now))
  }

  static func seconds(from instant: Instant, to now: Instant) -> UInt64 {
    UInt64(max(0, (now - instant).milliseconds / 1_000))
  }

  private static func joined(
    _ large: UInt64, _ unit: String, _ small: UInt64, _ smallUnit: String
  ) -> String {
    small == 0 ? "\(large) \(unit)" : "\(large) \(unit) \(small) \(smallUnit)"
  }
}
