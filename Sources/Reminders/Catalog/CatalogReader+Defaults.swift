import JSON
import Yams

extension CatalogReader {
  /// `defaults: {hints: {badgeCounts: delivered}}`: how things are shown to whoever has not said
  /// it. It holds for everyone, so that catalogs that are in use together must not differ.
  mutating func readDefaults(_ node: Node?) {
    guard let node else { return }
    let parts = members(node, of: "the defaults", allowed: ["hints"])
    for entry in keyedEntries(parts["hints"], "hints") { readHint(entry) }
  }

  private static let hints = BuiltInSetting.allCases.filter { $0.path.hasPrefix("hints.") }

  private mutating func readHint(_ entry: YAMLEntry) {
    guard let hint = Self.hints.first(where: { $0.path == "hints.\(entry.name)" }) else {
      let known = Self.hints.map { String($0.path.dropFirst("hints.".count)) }
      return report(
        entry.key,
        "there is no hint \"\(entry.name)\"" + Reminders.hint(entry.name, known)
          + " (known: \(known.joined(separator: ", ")))")
    }
    let value = entry.value.bool.map(JSONValue.bool) ?? .string(entry.value.string ?? "")
    do {
      let initial = try hint.kind.number(from: value)
      let part = Part(name: "value", value: hint.kind.value(of: initial).description)
      guard !isShared("the default of \(hint.path)", [part], at: entry.value) else { return }
      catalog.settings.begin(hint.rawValue, with: initial)
    } catch {
      report(entry.value, "\"\(entry.name)\" \(error.reason)")
    }
  }
}
