/// The display hints, such as sound and badge, that catalogs declare under `defaults`. A catalog's
/// hints apply to its own notifications (rule N6).
struct DeclaredHints: Sendable {
  /// For each catalog, the declared values by setting.
  private var values: [[Int: Int64]] = []
  /// The index of each reminder's catalog.
  private var reminders: [Symbol: Int] = [:]
  /// The index of each category's catalog.
  private var categories: [String: Int] = [:]
  /// The settings for which the loaded catalogs have different values.
  private(set) var differingSettings: [Int] = []

  /// Starts the next catalog. A category that several catalogs declare belongs to the first of
  /// them.
  ///
  /// - Parameter names: the names of the catalog's categories.
  mutating func beginCatalog(declaring names: [String]) {
    for name in names where categories[name] == nil { categories[name] = values.count }
    values.append([:])
  }

  /// Declares a value of the current catalog.
  mutating func declare(_ value: Int64, of setting: BuiltInSetting) {
    values[values.count - 1][setting.rawValue] = value
  }

  /// Adds a reminder of the current catalog.
  mutating func add(_ reminder: Symbol) { reminders[reminder] = values.count - 1 }

  /// Ends the last catalog, and computes `differingSettings`.
  ///
  /// - Returns: the values of the other declared settings, on which all catalogs agree.
  mutating func end() -> [Int: Int64] {
    var common: [Int: Int64] = [:]
    for setting in Set(values.flatMap(\.keys)).sorted() {
      let distinctValues = Set(values.indices.map { value(of: setting, in: $0) })
      if distinctValues.count == 1 {
        common[setting] = distinctValues.first
      } else {
        differingSettings.append(setting)
      }
    }
    return common
  }

  /// Returns the value of a setting in the catalog that declares the reminder, or else the
  /// category.
  func value(of setting: Int, for reminder: Symbol, in category: String) -> Int64 {
    value(of: setting, in: reminders[reminder] ?? categories[category])
  }

  private func value(of setting: Int, in catalog: Int?) -> Int64 {
    catalog.flatMap { values[$0][setting] } ?? BuiltInSetting.allCases[setting].initial
  }
}

extension PlanningContext {
  /// Returns the recipient's settings for showing a reminder's notification. A hint that the
  /// recipient has not set gets its value from the reminder's catalog.
  private func settings(showing reminder: Symbol, in category: String) -> Settings {
    var settings = self.settings
    for setting in catalog.declaredHints.differingSettings where !isSet(setting) {
      settings[setting] = catalog.declaredHints.value(of: setting, for: reminder, in: category)
    }
    return settings
  }

  private func isSet(_ setting: Int) -> Bool {
    let path = Symbol(catalog.settings.definitions[setting].path)
    return facts.settings.contains { $0.path == path }
  }

  func hints(of reminder: Reminder) -> Hints {
    guard !catalog.declaredHints.differingSettings.isEmpty else { return settings.hints }
    let category = catalog.categories[reminder.category].name
    return settings(showing: reminder.symbol, in: category).hints
  }

  /// Whether notifications of different catalogs count differently on the badge: the catalogs'
  /// hints differ, and the recipient has not set the hint.
  package var hasMixedBadge: Bool {
    let badges = [BuiltInSetting.badge.rawValue, BuiltInSetting.badgeCounts.rawValue]
    return badges.contains { catalog.declaredHints.differingSettings.contains($0) && !isSet($0) }
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
  /// Returns the hints of a digest whose members have these hints and `other`. A digest is as loud
  /// as its loudest member, and hides its text as much as any member does.
  func joined(with other: Hints) -> Hints {
    let hidden: Hints = [.previewUnlocked, .previewNever]
    return intersection(other).union(union(other).intersection(hidden))
  }
}
