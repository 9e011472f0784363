extension ContinuousClock.Instant {
  /// Whether so much time has passed since that answers are to be recorded: half a second.
  var isLongAgo: Bool { ContinuousClock.now - self >= .milliseconds(500) }
}
