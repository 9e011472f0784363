import Yams

/// Reads catalog files.
struct CatalogReader: YAMLReading {
  var catalog = Catalog()
  var diagnostics: [Diagnostic] = []
  /// The file that is being read.
  var file = ""
  /// The language of the messages in it.
  var language = LanguageTag.english
  /// The field of those whom the reminder that is read is for; nil for whom events are about.
  var audience: String?
  /// What was declared so far, by what it is: `the category "LESSON"`.
  var declarations: [String: Declaration] = [:]

  mutating func read(_ source: CatalogSource) {
    file = source.file
    let start = diagnostics.count
    defer { sortDiagnostics(from: start) }
    guard let root = compose(source.text) else { return }
    let parts = members(
      root, of: "a catalog",
      allowed: [
        "catalog", "language", "events", "categories", "groups", "presets", "reminders", "titles",
      ],
      required: ["catalog", "categories", "reminders"])
    if let name = parts["catalog"].flatMap({ text($0, "catalog") }) { catalog.names.append(name) }
    language = parts["language"].flatMap { language($0, "language") } ?? .english
    readEvents(parts["events"])
    let groups = entries(parts["groups"], "groups")
    for (name, node) in groups { readGroup(name, node) }
    let categories = entries(parts["categories"], "categories")
    for (name, node) in categories { readCategory(name, node) }
    let contents = Contents(categories: categories.map(\.0), groups: groups.map(\.0))
    catalog.categoryNames[catalog.names.last ?? "", default: []] += contents.categories
    readTitles(parts["titles"])
    readPresets(parts["presets"], of: contents)
    for (name, node) in entries(parts["reminders"], "reminders") { readReminder(name, node) }
  }
}
