extension ContinuousClock.Instant {
  /// Whether half a second has passed since this instant, so that answers must be recorded (rule
  /// D1).
  var isLongAgo: Bool { ContinuousClock.now - self >= .milliseconds(500) }
}
