/// A signed length of time in whole milliseconds. A day is always 24 hours: calendar days, which
/// a change of clocks makes longer or shorter, are counted with ``LocalDate``.
package struct TimeSpan: Hashable, Sendable {
  package let milliseconds: Int64

  package init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  package static let zero = TimeSpan(milliseconds: 0)

  package static func milliseconds(_ count: Int) -> TimeSpan {
    TimeSpan(milliseconds: Int64(count))
  }

  /// A span of `count` seconds; like its siblings it traps where the count overflows 64 bits of
  /// milliseconds, 292 million years.
  package static func seconds(_ count: Int) -> TimeSpan {
    TimeSpan(milliseconds: Int64(count) * 1_000)
  }

  package static func minutes(_ count: Int) -> TimeSpan {
    TimeSpan(milliseconds: Int64(count) * 60_000)
  }

  package static func hours(_ count: Int) -> TimeSpan {
    TimeSpan(milliseconds: Int64(count) * 3_600_000)
  }

  package static func days(_ count: Int) -> TimeSpan {
    TimeSpan(milliseconds: Int64(count) * 86_400_000)
  }

  package static func + (left: TimeSpan, right: TimeSpan) -> TimeSpan {
    TimeSpan(milliseconds: left.milliseconds + right.milliseconds)
  }

  package static func - (left: TimeSpan, right: TimeSpan) -> TimeSpan {
    TimeSpan(milliseconds: left.milliseconds - right.milliseconds)
  }

  package static prefix func - (span: TimeSpan) -> TimeSpan {
    TimeSpan(milliseconds: -span.milliseconds)
  }

  package static func * (span: TimeSpan, factor: Int) -> TimeSpan {
    TimeSpan(milliseconds: span.milliseconds * Int64(factor))
  }
}

extension TimeSpan: Comparable {
  package static func < (left: TimeSpan, right: TimeSpan) -> Bool {
    left.milliseconds < right.milliseconds
  }
}
