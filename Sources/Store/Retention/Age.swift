package import CivilTime

/// What is old and what is young, where rows go by the order in which they were written.
package struct Age: Hashable, Sendable {
  /// What is of before is old.
  package let end: Instant
  /// What is of later was written by a clock that ran ahead (rule T6).
  package let now: Instant

  package init(before end: Instant, now: Instant) {
    (self.end, self.now) = (end, now)
  }

  package func isOld(_ time: Instant) -> Bool { time < end }

  /// How many rows there are before all is young.
  ///
  /// What a clock that ran ahead has written stays until its own time has come, and keeps nothing
  /// that was written after it from going.
  ///
  /// - Parameter times: of rows in the order in which they were written; nil where there is none.
  package func reach(of times: [Instant?]) -> Int {
    let last = times.lastIndex { $0.map(isOld) ?? false } ?? -1
    return times[(last + 1)...].firstIndex { $0.map { $0 <= now } ?? false } ?? times.count
  }
}
