import CivilTime

extension Situation {
  /// The time of day at which a `smart` reminder goes out (rule M3): the declared one until enough
  /// is known of the recipient's habits.
  func smartTime(default declared: LocalTime) -> LocalTime {
    declared
  }
}
