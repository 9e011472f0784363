package import CivilTime

extension Event {
  /// A request for a later instant is probably a mistake.
  private static let horizon = TimeSpan.days(366)

  /// Returns the probable mistakes in an accepted event (rule E8), each as a sentence.
  ///
  /// - Parameter now: the instant of arrival.
  package func warnings(at now: Instant) -> [String] {
    guard case .request(let content) = content else { return [] }
    let expiry = content.planned + content.expires
    if expiry < now {
      return [
        "data.at: the notification has expired at \(expiry) and is dropped; give a later \"at\", "
          + "or a longer \"expires\""
      ]
    }
    if content.planned < time {
      return [
        "data.at: \(content.planned) is before the event's time \(time); the notification is due "
          + "at once"
      ]
    }
    if content.planned - now > Self.horizon {
      return ["data.at: \(content.planned) is more than a year ahead; check the year"]
    }
    return []
  }
}
