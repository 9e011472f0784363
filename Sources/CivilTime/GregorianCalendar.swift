/// The proleptic Gregorian calendar as arithmetic on days since 1970-01-01. Years are counted
/// from March, so that the leap day is the last of its year; then 400 years (an era) have 146097
/// days, and the months' lengths follow the line (153 m + 2) / 5. The method is that of Howard
/// Hinnant's "chrono-Compatible Low-Level Date Algorithms".
enum GregorianCalendar {
  /// Days since 1970-01-01 of 0001-01-01 and of 9999-12-31.
  static let supportedDays = -719_162...2_932_896

  /// Days from 0000-03-01 to 1970-01-01.
  private static let marchEpoch = 719_468

  static func isLeap(_ year: Int) -> Bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  }

  /// 28...31 for a `month` of 1...12.
  static func lengthOfMonth(_ month: Int, of year: Int) -> Int {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// The day number of a date that exists.
  static func days(year: Int, month: Int, day: Int) -> Int {
    let marchYear = month > 2 ? year : year - 1
    let marchMonth = month > 2 ? month - 3 : month + 9
    let era = floored(marchYear, by: 400)
    let yearOfEra = marchYear - era * 400
    let dayOfYear = (153 * marchMonth + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - marchEpoch
  }

  /// The date of a day number.
  static func date(ofDay days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + marchEpoch
    let era = floored(shifted, by: 146_097)
    let dayOfEra = shifted - era * 146_097
    // Leap days (every 4 and 400 years, not every 100) are taken out before dividing by 365.
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
  }

  /// The quotient rounded towards minus infinity; the divisor is positive.
  static func floored(_ dividend: Int, by divisor: Int) -> Int {
    dividend >= 0 ? dividend / divisor : (dividend + 1) / divisor - 1
  }
}
