import JSON
import Yams

extension CatalogReader {
  /// `defaults: {hints.badgeCounts: delivered}`: what built-in settings hold at first, where that is
  /// not what they usually do.
  mutating func readDefaults(_ node: Node?) {
    for entry in keyedEntries(node, "defaults") { readDefault(entry) }
  }

  private mutating func readDefault(_ entry: YAMLEntry) {
    let known = BuiltInSetting.allCases.map(\.path)
    guard let setting = BuiltInSetting.allCases.first(where: { $0.path == entry.name }) else {
      return report(
        entry.key, "\"\(entry.name)\" is no built-in setting" + hint(entry.name, known))
    }
    guard let value = entry.value.settingValue else {
      return report(entry.value, "\(entry.name) must be a text, a number, true or false, or a list")
    }
    do {
      let number = try setting.kind.number(from: value)
      begin(setting, with: number, at: entry.value)
    } catch {
      report(entry.value, "\(entry.name) \(error.reason)")
    }
  }

  /// What one catalog says another may say too, and nothing else.
  private mutating func begin(_ setting: BuiltInSetting, with value: Int64, at node: Node) {
    if let other = catalog.defaults[setting], other != value {
      return report(node, "\(setting.path) has another default in a catalog read before")
    }
    catalog.defaults[setting] = value
    catalog.settings.begin(setting.rawValue, with: value)
  }
}

extension Node {
  /// As a document of preferences has it; nil for what none holds.
  fileprivate var settingValue: JSONValue? {
    if let sequence {
      let values = sequence.compactMap(\.settingValue)
      return values.count == sequence.count ? .array(values) : nil
    }
    guard let scalar else { return nil }
    if scalar.style == .plain || scalar.style == .any {
      if let flag = bool { return .bool(flag) }
      if let number = int { return .integer(Int64(number)) }
    }
    return string.map { .string($0) }
  }
}
