import CivilTime

extension SettingsSchema {
  /// Refuses caps that are looser than the operator's (rule V18). Events that were accepted before
  /// a policy are not checked again, so that their other preferences stay.
  func check(_ changes: [SettingChange]) throws(Refusal) {
    for change in changes where change.value != SettingKind.unset {
      if let greatestCap, change.path == Symbol(BuiltInSetting.capPerDay.path),
        change.value > greatestCap
      {
        throw Refusal(
          path: "data.\(BuiltInSetting.capPerDay.path)",
          "must be at most \(greatestCap), as the operator requires; it is \(change.value)")
      }
      if let leastInterval, change.path == Symbol(BuiltInSetting.minimumInterval.path),
        change.value < leastInterval
      {
        let least = TimeSpan(milliseconds: leastInterval)
        throw Refusal(
          path: "data.\(BuiltInSetting.minimumInterval.path)",
          "must be at least \(least), as the operator requires; it is "
            + "\(TimeSpan(milliseconds: change.value))")
      }
    }
  }
}
