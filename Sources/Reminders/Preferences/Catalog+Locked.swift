extension Catalog {
  /// Locks the switches of the categories that are always on (rule P3).
  mutating func lockSettings() {
    for category in categories where category.isLocked {
      for setting in category.channels.map(\.setting) { settings.lock(setting) }
    }
  }
}
