package import Reminders
import Yams

/// Reads a file of rules. Every mistake is reported with its line and column.
struct RuleSetReader: YAMLReading {
  let file: String
  /// The names of the catalog's reminders and categories.
  let names: [String]
  var diagnostics: [Diagnostic] = []

  private static let root = MappingKeys([
    .required("rules", .anything, "The rules by their names.")
  ])

  private static func keys(of rule: ProofRule) -> MappingKeys {
    let exceptions = KeyDescription.optional(
      "for", .anything, "Exceptions by reminder or category: true, false or a limit.")
    let limit = KeyDescription.optional(
      "n", .anything, "The largest number a day: one for each channel, or by channel.")
    let notice = KeyDescription.optional(
      "notice", .span, "Bookings at shorter notice need no announcement; 1d if absent.")
    switch rule {
    case .dailyLimit: return MappingKeys([limit, exceptions])
    case .announced: return MappingKeys([notice, exceptions])
    default: return MappingKeys([exceptions])
    }
  }

  mutating func ruleSet(_ text: String) -> RuleSet {
    var set = RuleSet()
    guard let root = compose(text) else { return set }
    let members = members(root, of: "a file of rules", Self.root)
    for entry in keyedEntries(members["rules"], "rules") {
      guard let rule = ProofRule(rawValue: entry.name) else {
        reportUnknownRule(entry)
        continue
      }
      set.entries[rule] = self.entry(entry.value, of: rule)
    }
    return set
  }

  private mutating func reportUnknownRule(_ entry: YAMLEntry) {
    let known = ProofRule.allCases.map(\.rawValue)
    report(
      entry.key,
      "there is no rule \"\(entry.name)\"" + hint(entry.name, known)
        + " (known: \(known.joined(separator: ", ")))")
  }

  private mutating func entry(_ node: Node, of rule: ProofRule) -> RuleSet.Entry {
    var entry = RuleSet.Entry()
    if let isOn = node.bool {
      entry.isOn = isOn
      return entry
    }
    guard node.mapping != nil else {
      report(node, "\"\(rule.rawValue)\" must be true, false or a mapping of its parameters")
      return entry
    }
    let members = members(node, of: "the rule \"\(rule.rawValue)\"", Self.keys(of: rule))
    if let node = members["n"] { readLimits(node, into: &entry) }
    if let notice = members["notice"].flatMap({ span($0, "\"notice\"") }) { entry.notice = notice }
    for exception in keyedEntries(members["for"], "for") {
      entry.exceptions[exception.name] = self.exception(exception, of: rule)
    }
    return entry
  }

  private mutating func readLimits(_ node: Node, into entry: inout RuleSet.Entry) {
    guard let mapping = node.mapping else {
      entry.limit = limit(node, "n")
      return
    }
    for (key, value) in mapping {
      let name = key.string ?? ""
      guard let channel = Channel(name: name) else {
        let known = Channel.allCases.map(\.name)
        report(key, "\"\(name)\" is not a channel" + hint(name, known))
        continue
      }
      entry.limits[channel] = limit(value, name)
    }
  }

  private mutating func limit(_ node: Node, _ subject: String) -> Int? {
    guard let number = self.number(node, "\"\(subject)\"") else { return nil }
    guard (1...1_000).contains(number) else {
      report(node, "\"\(subject)\" must be from 1 to 1000; it is \(number)")
      return nil
    }
    return Int(number)
  }

  private mutating func exception(
    _ entry: YAMLEntry, of rule: ProofRule
  ) -> RuleSet.Exception? {
    guard names.contains(entry.name) else {
      report(
        entry.key,
        "no catalog declares a reminder or category \"\(entry.name)\"" + hint(entry.name, names))
      return nil
    }
    if let isOn = entry.value.bool { return isOn ? .on : .off }
    guard rule.hasLimit else {
      report(entry.value, "\"\(entry.name)\" must be true or false")
      return nil
    }
    return limit(entry.value, entry.name).map { .limit($0) }
  }
}

extension RuleSet {
  /// Reads a file of rules for a catalog.
  ///
  /// - Throws: all mistakes in the file.
  package init(reading source: CatalogSource, for catalog: Catalog) throws(CatalogErrors) {
    let names = catalog.reminders.map(\.identifier) + catalog.categories.map(\.name)
    var reader = RuleSetReader(file: source.file, names: names)
    let set = reader.ruleSet(source.text)
    guard reader.diagnostics.isEmpty else {
      throw CatalogErrors(diagnostics: reader.diagnostics)
    }
    self = set
  }
}
