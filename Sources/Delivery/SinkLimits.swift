package import CivilTime

/// What the configuration holds a sink to.
package struct SinkLimits: Hashable, Sendable {
  /// How many deliveries a second it is handed at most; nil is no limit.
  package var rate: Int?
  /// How long one attempt may take by the sink's own account; nil if it does not say.
  package var deadline: TimeSpan?
  /// How many attempts it makes at once; nil if it does not say.
  package var concurrency: Int?
  /// What it has beyond that before it counts as one that never answers.
  package var margin = TimeSpan.seconds(5)

  package init(rate: Int? = nil, deadline: TimeSpan? = nil, concurrency: Int? = nil) {
    self.rate = rate
    self.deadline = deadline
    self.concurrency = concurrency
  }

  /// How long a sink may take for so many deliveries: each of its attempts up to its deadline, and
  /// a margin. Who does not say how many it makes at once is taken to make one after the other.
  package func patience(for count: Int) -> TimeSpan? {
    guard let deadline else { return nil }
    let atOnce = max(1, concurrency ?? 1)
    let rounds = Int64(max(1, (count + atOnce - 1) / atOnce))
    let (total, isTooLong) = deadline.milliseconds.multipliedReportingOverflow(by: rounds)
    return isTooLong ? nil : TimeSpan(milliseconds: total) + margin
  }
}
