package import JSON

/// The export, import and reset of all of a recipient's settings (rule P4).
package struct PreferencesExport {
  /// The version of the document's format.
  private static let version: Int64 = 1

  private let context: PlanningContext

  package init(_ context: PlanningContext) {
    self.context = context
  }

  /// The exported document: all settings, and the preset that the recipient saved. It has no
  /// computed members and no addresses.
  package var document: JSONObject {
    [
      "version": .integer(Self.version),
      "preferences": .object(PreferencesDocument(context).stored),
    ]
  }

  /// Returns the changes that import a document. For each setting that the document lacks, they set
  /// the default. They also cancel the announced vacations, and remove the settings of entities and
  /// the further quiet windows, that the document lacks. The preset that the recipient saved stays
  /// if the document has none.
  package func changes(importing document: JSONObject) throws(Refusal) -> [SettingChange] {
    let reader = PreferencesReader(catalog: context.catalog, root: "preferences")
    let preferences = try preferences(in: document)
    let imported = try reader.changes(reader.leaves(of: preferences))
    let settings = Set(imported.map(\.path))
    let defaults = Self.defaults(of: schema).filter { !settings.contains($0.path) }
    let windows = QuietWindow.windows(in: imported) == nil ? QuietWindow.changes(to: []) : []
    let changes =
      cancellations(except: imported) + entityRemovals(except: imported) + windows + defaults
      + imported
    try changes.checkQuietHours(
      in: context, orThrow: .equalQuietHours(at: "preferences.quietHours"))
    return changes.effective(in: context).completingQuietHours(in: context)
  }

  /// The changes that reset every setting to its default, and remove announced vacations, further
  /// quiet windows and the settings of entities.
  package var resetChanges: [SettingChange] {
    (cancellations(except: []) + entityRemovals(except: []) + QuietWindow.changes(to: [])
      + Self.defaults(of: schema))
      .effective(in: context)
  }

  /// Returns the changes that remove each entity's setting, except those that `changes` set.
  private func entityRemovals(except changes: [SettingChange]) -> [SettingChange] {
    context.facts.entitySettings.filter { setting in
      !changes.contains {
        $0.path == setting.path && $0.entity.map(ExactText.init) == ExactText(setting.identifier)
      }
    }.map { SettingChange(path: $0.path, value: SettingKind.unset, entity: $0.identifier) }
  }

  /// Returns the changes that cancel each announced vacation, except those that `changes` announce.
  private func cancellations(except changes: [SettingChange]) -> [SettingChange] {
    let announced = Set(changes.compactMap { $0.announcement?.from })
    return context.facts.openVacations(in: context.zone).filter { !announced.contains($0.from) }
      .map { SettingChange(vacationFrom: $0.from, until: nil) }
  }

  private var schema: SettingsSchema { context.catalog.settings }

  private static func defaults(of schema: SettingsSchema) -> [SettingChange] {
    schema.definitions.filter { !$0.isLocked }.map {
      SettingChange(path: Symbol($0.path), value: $0.initial)
    }
  }

  private func preferences(in document: JSONObject) throws(Refusal) -> JSONObject {
    let known = ["version", "preferences"]
    for member in document where !known.contains(member.key) {
      throw Refusal(path: member.key, "is not known" + hint(member.key, known))
    }
    guard document["version"]?.integerValue == Self.version else {
      throw Refusal(path: "version", "must be \(Self.version), the version of the export format")
    }
    guard case .object(let preferences)? = document["preferences"] else {
      throw Refusal(path: "preferences", "must be an object with the exported settings")
    }
    return preferences
  }
}
