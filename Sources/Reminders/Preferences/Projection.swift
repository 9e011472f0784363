import JSON

/// The settings in an app's own JSON format, defined by a table of members and their sources.
package struct Projection: DocumentShape, Sendable {
  /// A projection's declaration. It names settings by their paths.
  struct Table {
    /// The catalog whose settings the projection shows.
    let catalog: String
    /// The members by their paths in the app's document, each with its source.
    let rows: [(member: String, source: MemberSource<String>)]
    /// The name of a member in which the app may wrap the whole document.
    var envelope: String?
  }

  package let members: [String]
  private let sources: [String: MemberSource<Int>]
  /// The paths of the objects that contain members, such as "a" and "a.b" for the member "a.b.c".
  private let objectPaths: Set<String>
  private let envelope: String?

  init(_ table: Table, catalog: Catalog) throws(FormUnavailable) {
    guard catalog.catalogNames.contains(table.catalog) else {
      throw FormUnavailable(
        description: "this form of the preferences needs the catalog \"\(table.catalog)\", "
          + "which is not loaded; add it to the catalogs in the configuration")
    }
    var sources: [String: MemberSource<Int>] = [:]
    for (member, source) in table.rows {
      sources[member] = try source.map { (path) throws(FormUnavailable) in
        guard let index = catalog.settings.index(of: path) else {
          throw FormUnavailable(
            description: "this form of the preferences needs the setting \"\(path)\" for "
              + "\"\(member)\", which the catalog \"\(table.catalog)\" does not declare")
        }
        return index
      }
    }
    self.sources = sources
    members = table.rows.map(\.member)
    objectPaths = Set(members.flatMap(Self.objectPaths))
    envelope = table.envelope
  }

  /// Returns the whole document, with members in the table's order.
  func document(of context: PlanningContext) -> JSONObject {
    var document = JSONObject()
    for member in members {
      if let source = sources[member] { document.set(source.value(in: context), at: member) }
    }
    return document
  }

  /// Returns the changes that a document contains: those of members that differ from the current
  /// values.
  func write(
    _ document: JSONObject, to context: PlanningContext
  ) throws(Refusal) -> PreferencesWrite {
    var written = PreferencesWrite()
    var changed = PreferencesWrite()
    var preset: [SettingChange] = []
    let (inner, root) = try unwrapped(document)
    for leaf in try leaves(of: inner, root: root) {
      guard let source = sources[leaf.path] else { continue }
      let write = try source.write(leaf.value, at: fullPath(leaf.path, in: root), in: context)
      written.add(write)
      guard source.value(in: context) != leaf.value else { continue }
      if case .preset = source { preset = write.settings } else { changed.add(write) }
    }
    changed.settings = try settings(changed.settings, written.settings, preset, context)
    changed.profile.removeAll { context.facts.profile($0.field) == $0.value }
    return changed
  }

  /// Returns the document inside the envelope, with the envelope's name as its path in refusals.
  /// For a document without an envelope, returns the document itself and an empty path.
  private func unwrapped(
    _ document: JSONObject
  ) throws(Refusal) -> (document: JSONObject, root: String) {
    guard let envelope, let value = document[envelope] else { return (document, "") }
    guard document.count == 1 else {
      throw Refusal(path: envelope, "contains all preferences; remove the members beside it")
    }
    guard let inner = value.objectValue else {
      throw Refusal(path: envelope, "must be an object; it is \(value.kind)")
    }
    return (inner, envelope)
  }

  package func isMember(_ path: String) -> Bool { sources[path] != nil }
  package func isObject(_ path: String) -> Bool { objectPaths.contains(path) }

  /// Returns the changes of settings by the members whose values differ. Changes by the preset are
  /// added for settings that these members do not set.
  private func settings(
    _ changed: [SettingChange], _ written: [SettingChange], _ preset: [SettingChange],
    _ context: PlanningContext
  ) throws(Refusal) -> [SettingChange] {
    try written.checkQuietHours(
      in: context, orThrow: Refusal(path: "", Refusal.equalTimes))
    var changes = changed.effective(in: context)
    let paths = Set(changes.map(\.path))
    changes += preset.filter { !paths.contains($0.path) }
    return changes.effective(in: context)
  }

  /// Returns "a" and "a.b" for "a.b.c".
  private static func objectPaths(of member: String) -> [String] {
    member.indices.filter { member[$0] == "." }.map { String(member[..<$0]) }
  }
}
