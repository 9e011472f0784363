import CivilTime

/// Decides when to warn that the store's file system is nearly full: once when 95 % are used. The
/// next warning requires that the use was below 93 % in between.
struct DiskWatch {
  /// The used share of the file system at and above which the status warns.
  static let limit = 0.95
  /// The used share below which the next warning becomes possible.
  private static let limitOfRearming = 0.93
  /// The shortest time between two measurements.
  private static let pause = TimeSpan.minutes(1)

  private var nextMeasurement = Instant(milliseconds: 0)
  /// Whether a warning was given since the use was last below `limitOfRearming`.
  private var isWarned = false

  /// Returns the warning, such as "the disk of the store is 96 % full".
  static func text(_ use: Double) -> String {
    "the disk of the store is \(Int((use * 100).rounded(.down))) % full"
  }

  /// Measures the use of the disk, at most once a minute.
  ///
  /// - Returns: the warning to write to the journal; nil if none is needed now.
  mutating func warning(at now: Instant, _ measure: () -> Double?) -> String? {
    // After the clock was set back, `nextMeasurement` may be far in the future.
    guard now >= nextMeasurement || now < nextMeasurement - Self.pause else { return nil }
    nextMeasurement = now + Self.pause
    guard let use = measure() else { return nil }
    if use < Self.limitOfRearming { isWarned = false }
    guard use >= Self.limit, !isWarned else { return nil }
    isWarned = true
    return Self.text(use)
  }
}
