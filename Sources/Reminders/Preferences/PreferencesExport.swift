package import JSON

/// All of a person's settings to be kept elsewhere and brought back, and the way back to the
/// defaults (rule P4).
package struct PreferencesExport {
  /// The form of the document; another number is another form.
  private static let version: Int64 = 1

  private let context: PlanningContext

  package init(_ context: PlanningContext) {
    self.context = context
  }

  /// The settings and the person's own preset; nothing that depends on the clock, no address.
  package var document: JSONObject {
    [
      "version": .integer(Self.version),
      "preferences": .object(PreferencesDocument(context).stored),
    ]
  }

  /// The write that makes the settings what a document says, and what it leaves out the default.
  /// The person's own preset stays if the document has none.
  package func changes(importing document: JSONObject) throws(Refusal) -> [SettingChange] {
    let reader = PreferencesReader(catalog: context.catalog, root: "preferences")
    let preferences = try preferences(in: document)
    let written = try reader.changes(reader.leaves(of: preferences))
    let settings = Set(written.map(\.path))
    let defaults = Self.defaults(of: schema).filter { !settings.contains($0.path) }
    let changes = defaults + written
    try changes.checkQuietHours(
      in: context, orThrow: .equalQuietHours(at: "preferences.quietHours"))
    return changes.effective(in: context)
  }

  /// The write that makes every setting the default.
  package var resetting: [SettingChange] {
    Self.defaults(of: schema).effective(in: context)
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
      throw Refusal(path: "version", "must be \(Self.version), the form of an export")
    }
    guard case .object(let preferences)? = document["preferences"] else {
      throw Refusal(path: "preferences", "must be an object: the settings as they were exported")
    }
    return preferences
  }
}
