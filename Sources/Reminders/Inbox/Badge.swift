/// The number on an app's icon (rule N4).
package enum Badge {
  /// - Parameters:
  ///   - unread: the items of the inbox that are unread.
  ///   - delivered: what was delivered over any channel and not dismissed.
  /// - Returns: nil for a person who wants none; never below 0.
  package static func count(_ settings: Settings, unread: Int, delivered: Int) -> Int? {
    guard settings.isOn(.badge) else { return nil }
    return max(0, settings[.badgeCounts] == 0 ? unread : delivered)
  }
}
