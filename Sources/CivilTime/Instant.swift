/// A point in time: milliseconds of UTC since 1970-01-01T00:00:00Z, leap seconds not counted
/// (rule T1).
package struct Instant: Hashable, Sendable {
  package let milliseconds: Int64

  package init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  /// Whole seconds since the epoch, rounded towards the past.
  package var seconds: Int64 {
    let quotient = milliseconds / 1_000
    return milliseconds % 1_000 < 0 ? quotient - 1 : quotient
  }

  /// 0..<1000, counted from ``seconds``.
  var millisecondOfSecond: Int {
    let remainder = Int(milliseconds % 1_000)
    return remainder < 0 ? remainder + 1_000 : remainder
  }

  /// Like the other operators it traps where 64 bits overflow; an instant and a span that were
  /// read from text never do.
  package static func + (instant: Instant, span: TimeSpan) -> Instant {
    Instant(milliseconds: instant.milliseconds + span.milliseconds)
  }

  package static func - (instant: Instant, span: TimeSpan) -> Instant {
    Instant(milliseconds: instant.milliseconds - span.milliseconds)
  }

  package static func - (later: Instant, earlier: Instant) -> TimeSpan {
    TimeSpan(milliseconds: later.milliseconds - earlier.milliseconds)
  }

  package static func += (instant: inout Instant, span: TimeSpan) {
    instant = instant + span
  }

  package static func -= (instant: inout Instant, span: TimeSpan) {
    instant = instant - span
  }
}

extension Instant: Comparable {
  package static func < (left: Instant, right: Instant) -> Bool {
    left.milliseconds < right.milliseconds
  }
}
