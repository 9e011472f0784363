extension Duration {
  /// Whole microseconds, rounded down; 0 for a negative duration, the largest number for one that
  /// does not fit.
  package var microseconds: UInt64 {
    guard self > .zero else { return 0 }
    let (seconds, attoseconds) = components
    let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000)
    let (sum, carry) = whole.addingReportingOverflow(UInt64(attoseconds / 1_000_000_000_000))
    return overflow || carry ? .max : sum
  }
}
