package import CivilTime
package import JSON

/// A recipient's preferences as the service's own JSON document (rule P1). It has the stored value
/// of each setting, even if a switch that includes the setting is off (rule P2).
/// `PreferencesReader` reads it.
package struct PreferencesDocument {
  /// The names of the document's members, in its order.
  private static let memberNames = [
    "master", PreferencesShape.preset, "channels", "categories", "reminders", "quietHours",
    "vacation", "dayStart", "calendar", "caps", "bundling", "hints", "email", "sms",
    PreferencesShape.custom,
  ]

  private let context: PlanningContext

  package init(_ context: PlanningContext) {
    self.context = context
  }

  /// Returns the whole document with its computed members: the preset that the switches match, and
  /// whether quiet hours are active at an instant.
  package func whole(at now: Instant) -> JSONObject {
    var document = JSONObject()
    let stored = stored
    for name in Self.memberNames {
      document[name] = name == PreferencesShape.preset ? .string(preset) : stored[name]
    }
    document.set(.bool(isQuiet(at: now)), at: PreferencesShape.active)
    return document
  }

  /// The settings and the preset that the recipient saved, without computed members.
  package var stored: JSONObject {
    let schema = context.catalog.settings
    var document = JSONObject()
    for (index, definition) in schema.definitions.enumerated() {
      document.set(definition.kind.value(of: context.settings[index]), at: definition.path)
    }
    let windows = context.settings.quietHours.others.map(\.document)
    document.set(.array(windows), at: PreferencesShape.windows)
    document.set(announced, at: PreferencesShape.announced)
    let entities = context.facts.entitySettings.compactMap { setting in
      setting.value.map { (setting.path, setting.identifier, $0) }
    }
    for (path, entities) in schema.entityDocuments(entities) {
      document.set(.object(entities), at: path)
    }
    if let custom = CustomPreset(facts: context.facts, schema: schema) {
      for (path, isOn) in custom.values(in: schema) {
        document.set(.bool(isOn), at: PreferencesShape.custom + "." + path)
      }
    }
    return Self.inOrder(document)
  }

  /// The announced vacations: the last date of each by its first date.
  private var announced: JSONValue {
    var dates = JSONObject()
    for vacation in context.facts.openVacations(in: context.zone) {
      dates["\(vacation.from)"] = .string("\(vacation.until)")
    }
    return .object(dates)
  }

  /// Returns a document with only the changes of a write: the data of its `preferences.updated`.
  package static func partial(_ changes: [SettingChange], in schema: SettingsSchema) -> JSONObject {
    var document = JSONObject()
    for change in changes {
      if let index = schema.index(of: change.path) {
        let definition = schema.definitions[index]
        document.set(definition.kind.value(of: change.value), at: definition.path)
      } else if let index = schema.index(ofCustom: change.path) {
        setCustom(change, schema.definitions[index], in: &document)
      } else if let dates = change.announcement {
        let until = dates.until.map { JSONValue.string("\($0)") }
        document.set(until ?? .null, at: "\(PreferencesShape.announced).\(dates.from)")
      }
    }
    let entities = changes.compactMap { change in
      change.entity.map { (change.path, $0, change.value) }
    }
    for (path, entities) in schema.entityDocuments(entities) {
      document.set(.object(entities), at: path)
    }
    if let windows = QuietWindow.windows(in: changes) {
      document.set(.array(windows.map(\.document)), at: PreferencesShape.windows)
    }
    return inOrder(document)
  }

  /// Sets the member for a change of the preset that the recipient saved; null if it was removed.
  private static func setCustom(
    _ change: SettingChange, _ definition: SettingsSchema.Definition,
    in document: inout JSONObject
  ) {
    if change.value == SettingKind.unset {
      document[PreferencesShape.custom] = .null
    } else {
      document.set(.bool(change.value != 0), at: PreferencesShape.custom + "." + definition.path)
    }
  }

  private static func inOrder(_ document: JSONObject) -> JSONObject {
    var ordered = JSONObject()
    for name in memberNames { ordered[name] = document[name] }
    return ordered
  }

  private var preset: String { context.catalog.currentPreset(context.settings) }

  private func isQuiet(at now: Instant) -> Bool {
    context.settings.quietHours.windowEnd(at: now, in: context.zone) != nil
  }
}

/// A format of a recipient's preferences: the service's own, or a projection of the same settings
/// for an app with its own JSON (rule P1).
package struct PreferencesForm: Sendable {
  package enum Name: String, CaseIterable, Sendable {
    /// The service's own format, or the projection for an app.
    case own, urbannest, wellness
  }

  /// The projection; nil for the service's own format.
  private let projection: Projection?

  /// - Throws: if the projection's catalog is not loaded.
  package init(_ name: Name, catalog: Catalog) throws(FormUnavailable) {
    projection =
      switch name {
      case .own: nil
      case .urbannest: try Projection(.urbannest, catalog: catalog)
      case .wellness: try Projection(.wellness, catalog: catalog)
      }
  }

  package func document(of context: PlanningContext, now: Instant) -> JSONObject {
    projection?.document(of: context) ?? PreferencesDocument(context).whole(at: now)
  }

  /// Returns the changes that a document contains. The document may omit any member. A refusal
  /// changes nothing.
  ///
  /// An app writes back what it has read. So in a projection, and in an own document with all
  /// settings, only members that differ from the current values are changes. In another document of
  /// the service's own format every member is a change, except a vacation that stays the same.
  package func write(
    _ document: JSONObject, to context: PlanningContext
  ) throws(Refusal) -> PreferencesWrite {
    if let projection {
      var write = try projection.write(document, to: context)
      write.settings = write.settings.completingQuietHours(in: context)
      return write
    }
    let reader = PreferencesReader(catalog: context.catalog, root: "")
    let changes = try reader.changes(document)
    try changes.checkQuietHours(in: context, orThrow: .equalQuietHours(at: "quietHours"))
    let paths = Set(try reader.leaves(of: document).map(\.path))
    let isWhole = context.catalog.settings.definitions.allSatisfy { paths.contains($0.path) }
    let written =
      isWhole ? changes.effective(in: context) : changes.withoutRepeatedVacations(in: context)
    return PreferencesWrite(settings: written.completingQuietHours(in: context))
  }
}

/// The reason why a format is unavailable.
package struct FormUnavailable: Error, Hashable, CustomStringConvertible {
  package let description: String
}
