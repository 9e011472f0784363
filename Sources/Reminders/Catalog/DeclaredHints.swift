/// The hints that catalogs declare under `defaults`. A catalog's hints apply to its own
/// notifications (rule N6).
struct DeclaredHints: Sendable {
  /// The declared values by catalog and setting.
  private var declared: [[Int: Int64]] = []
  private var reminders: [Symbol: Int] = [:]
  private var categories: [String: Int] = [:]
  /// The settings for which the loaded catalogs have different values.
  private(set) var mixed: [Int] = []

  /// Starts the next catalog. A category that several catalogs declare belongs to the first of
  /// them.
  mutating func beginCatalog(declaring names: [String]) {
    for name in names where categories[name] == nil { categories[name] = declared.count }
    declared.append([:])
  }

  /// Declares a value of the current catalog.
  mutating func declare(_ value: Int64, of setting: BuiltInSetting) {
    declared[declared.count - 1][setting.rawValue] = value
  }

  /// Adds a reminder of the current catalog.
  mutating func add(_ reminder: Symbol) { reminders[reminder] = declared.count - 1 }

  /// Finds the settings in which catalogs differ.
  ///
  /// - Returns: the common values of the other declared settings.
  mutating func end() -> [Int: Int64] {
    var common: [Int: Int64] = [:]
    for setting in Set(declared.flatMap(\.keys)).sorted() {
      let values = Set(declared.indices.map { value(of: setting, in: $0) })
      if values.count == 1 { common[setting] = values.first } else { mixed.append(setting) }
    }
    return common
  }

  /// Returns the value that the catalog of a notification has for a setting.
  func value(of setting: Int, for reminder: Symbol, in category: String) -> Int64 {
    value(of: setting, in: reminders[reminder] ?? categories[category])
  }

  private func value(of setting: Int, in catalog: Int?) -> Int64 {
    catalog.flatMap { declared[$0][setting] } ?? BuiltInSetting.allCases[setting].initial
  }
}

extension PlanningContext {
  /// Returns the recipient's settings. A hint that the recipient has not set has the value of the
  /// notification's catalog.
  private func settings(showing reminder: Symbol, in category: String) -> Settings {
    var shown = settings
    for setting in catalog.declaredHints.mixed where !isSet(setting) {
      shown[setting] = catalog.declaredHints.value(of: setting, for: reminder, in: category)
    }
    return shown
  }

  private func isSet(_ setting: Int) -> Bool {
    let path = Symbol(catalog.settings.definitions[setting].path)
    return facts.settings.contains { $0.path == path }
  }

  func hints(of reminder: Reminder) -> Hints {
    guard !catalog.declaredHints.mixed.isEmpty else { return settings.hints }
    let category = catalog.categories[reminder.category].name
    return settings(showing: reminder.symbol, in: category).hints
  }

  /// Whether the catalogs decide which notifications count on the badge, because their hints differ
  /// and the recipient has not set the hint.
  package var hasMixedBadge: Bool {
    let badges = [BuiltInSetting.badge.rawValue, BuiltInSetting.badgeCounts.rawValue]
    return badges.contains { catalog.declaredHints.mixed.contains($0) && !isSet($0) }
  }

  /// Returns whether a notification counts on the badge.
  ///
  /// - Parameters:
  ///   - isUnread: whether the notification is an unread item of the inbox.
  ///   - isRecent: whether the notification has arrived on any channel and is not dismissed.
  package func isOnBadge(_ message: Message, isUnread: Bool, isRecent: Bool) -> Bool {
    let settings = settings(showing: Symbol(message.reminder), in: message.category)
    return Badge.count(settings, unread: isUnread ? 1 : 0, delivered: isRecent ? 1 : 0) == 1
  }
}

extension Hints {
  /// Returns the hints of a digest. A digest is as loud as its loudest member, and hides its text
  /// as much as any member does.
  func joined(with other: Hints) -> Hints {
    let hidden: Hints = [.previewUnlocked, .previewNever]
    return intersection(other).union(union(other).intersection(hidden))
  }
}
