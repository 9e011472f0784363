package import CivilTime

/// The hours in which the operator allows channels, in the recipient's local time (rule V18).
package struct AllowedHours: Hashable, Sendable {
  /// The channels that the policy is about; never `inapp`.
  package var channels: ChannelSet
  /// The names of the categories; nil for all categories.
  package var categories: Set<String>?
  /// The prefixes of telephone numbers, as digits. The policy is about recipients with one of the
  /// prefixes or `regions`, or about all recipients if both lists are empty.
  package var phones: [String] = []
  /// The regions of the profile, in capitals; see `phones`.
  package var regions: [String] = []
  /// Whether critical occurrences pass.
  package var passesCritical = false
  /// The windows outside the hours.
  let closedWindows: [QuietWindow]

  /// Creates hours from a time up to a minute of the day (1...1440) on some days of the week. The
  /// other days are closed.
  ///
  /// - Parameter days: bits of `Weekday.bit`.
  /// - Returns: nil if the end is not after the start, or if nothing would be closed.
  package init?(
    from start: LocalTime, toMinute end: Int, days: Int64, on channels: ChannelSet
  ) {
    guard start.minuteOfDay < end, start != .midnight || end < 1_440 || days != Self.allDays else {
      return nil
    }
    self.channels = channels
    closedWindows = Self.windows(outside: start, end, days)
  }

  private static let allDays: Int64 = 0b111_1111

  private static func windows(
    outside start: LocalTime, _ end: Int, _ days: Int64
  ) -> [QuietWindow] {
    let begin = start.minuteOfDay
    // Every night is one window, so that a hold ends when the hours begin.
    if days == allDays, begin > 0, let evening = LocalTime(minuteOfDay: end) {
      return [QuietWindow(start: evening, endMinute: begin)]
    }
    var windows: [QuietWindow] = []
    if begin > 0 { windows.append(QuietWindow(start: .midnight, endMinute: begin, days: days)) }
    if let evening = LocalTime(minuteOfDay: end) {
      windows.append(QuietWindow(start: evening, endMinute: 1_440, days: days))
    }
    if days != allDays {
      windows.append(QuietWindow(start: .midnight, endMinute: 1_440, days: allDays & ~days))
    }
    return windows
  }

  /// Returns whether the policy is about a recipient.
  func concerns(_ facts: Facts) -> Bool {
    if phones.isEmpty, regions.isEmpty { return true }
    if let digits = facts.phone?.digits, phones.contains(where: digits.hasPrefix) { return true }
    guard let region = facts.profile(.holidays)?.uppercased() else { return false }
    return regions.contains { region == $0 || region.hasPrefix($0 + "-") }
  }

  /// Returns whether the policy is about a channel of a category at an urgency. Mandatory
  /// occurrences pass every policy (rule V3).
  func concerns(_ channel: Channel, of category: Category, _ urgency: Urgency) -> Bool {
    guard urgency < .critical || urgency == .critical && !passesCritical else { return false }
    return channels.contains(ChannelSet(channel)) && categories?.contains(category.name) != false
  }
}
