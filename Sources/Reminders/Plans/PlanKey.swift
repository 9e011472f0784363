import CivilTime

/// The key of a plan's occurrence: the code of its entity, the local date and the minute. Keys of
/// one entity ascend with time.
struct PlanKey: Hashable {
  /// The entity's code, in 36 bits.
  let series: Int64
  let date: LocalDate
  let minute: Int

  init(series: Int64, date: LocalDate, minute: Int) {
    (self.series, self.date, self.minute) = (series, date, minute)
  }

  init(_ key: Int64) {
    series = Self.series(of: key)
    date = LocalDate(daysSinceEpoch: Int(key >> Self.minuteBits) & EntityPlan.days.upperBound)
    minute = Int(key) & Self.minuteMask
  }

  var key: Int64 {
    series << Self.dateAndMinuteBits | Int64(date.daysSinceEpoch) << Self.minuteBits
      | Int64(minute)
  }

  static func series(of key: Int64) -> Int64 { key >> Self.dateAndMinuteBits }

  /// Returns the last possible key of a series on a date.
  static func last(ofSeriesOf key: Int64, on date: LocalDate) -> Int64 {
    PlanKey(series: series(of: key), date: date, minute: minuteMask).key
  }

  private static let minuteBits: Int64 = 11
  private static let minuteMask = 1 << 11 - 1
  private static let dateAndMinuteBits: Int64 = 27
}
