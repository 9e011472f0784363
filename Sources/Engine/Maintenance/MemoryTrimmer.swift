import CivilTime

/// Decides when to free the memory that a burst of due recipients has filled: half a minute after
/// 4,096 recipients have been processed. If another 4,096 are processed earlier, the half minute
/// begins again.
///
/// Cached pages of the store save reads during a burst; an idle service does not need them for
/// hours.
struct MemoryTrimmer {
  /// How long after a burst memory is freed.
  private static let delay = TimeSpan.seconds(30)
  /// The number of processed recipients that makes freeing worthwhile.
  private static let recipientsMin = 4_096

  /// The number of recipients processed since the wake time was last set.
  private var recipients = 0
  /// When memory is freed; nil if too little was used.
  private(set) var wake: Instant?

  /// Counts the recipients of an engine cycle.
  mutating func count(recipients: Int, at now: Instant) {
    self.recipients += recipients
    guard self.recipients >= Self.recipientsMin else { return }
    (self.recipients, wake) = (0, now + Self.delay)
  }

  /// Clears the wake time if memory is to be freed now.
  ///
  /// - Returns: whether memory is to be freed.
  mutating func beginTrim(at now: Instant) -> Bool {
    // After the clock was set back, memory is freed at once.
    guard let wake, now >= wake || now < wake - Self.delay else { return false }
    self.wake = nil
    return true
  }
}
