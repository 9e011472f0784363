import Yams

extension CatalogReader {
  /// Reads `{list: {PHOTO: [a photo, photos]}, locales: {de: {PHOTO: [ein Foto, Fotos]}}}`: the
  /// kinds of elements, each with its singular and plural.
  mutating func listField(_ node: Node, of entry: YAMLEntry) -> EventSchema.FieldKind? {
    let members = members(entry.value, of: "the field \"\(entry.name)\"", .countedList)
    var sorts: [Tally.ObjectKind] = []
    for sortEntry in keyedEntries(node, "\"list\"") {
      guard let forms = forms(sortEntry, in: language) else { continue }
      sorts.append(Tally.ObjectKind(name: sortEntry.name, words: [(language, forms)]))
    }
    guard (1...16).contains(sorts.count) else {
      report(node, "a list needs 1 to 16 kinds of elements")
      return nil
    }
    for locale in keyedEntries(members["locales"], "locales") {
      guard let language = language(locale.key, "a locale") else { continue }
      for sortEntry in keyedEntries(locale.value, "the list in \"\(locale.name)\"") {
        let name = sortEntry.name
        guard let index = sorts.firstIndex(where: { $0.name == name }) else {
          report(sortEntry.key, "the list has no \"\(name)\"" + hint(name, sorts.map(\.name)))
          continue
        }
        if let forms = forms(sortEntry, in: language) {
          sorts[index].words.append((language, forms))
        }
      }
    }
    return .list(sorts)
  }

  /// Reads `[a photo, photos]`, or a form for each plural category of the language:
  /// `{one: a photo, other: "# photos"}`.
  private mutating func forms(_ entry: YAMLEntry, in language: LanguageTag) -> PluralForms? {
    var forms: [PluralCategory: String] = [:]
    if entry.value.mapping != nil {
      let members = members(entry.value, of: "\"\(entry.name)\"", .plural)
      for category in PluralCategory.allCases {
        forms[category] = members[category.rawValue].flatMap { text($0, category.rawValue) }
      }
    } else {
      let words = (entry.value.sequence.map(Array.init) ?? []).compactMap(\.string)
      guard words.count == 2 else {
        report(
          entry.value,
          "\"\(entry.name)\" needs a singular and a plural, such as [a photo, photos]")
        return nil
      }
      forms = [.one: words[0], .other: "# " + words[1]]
    }
    if let fault = PluralForms.fault(forms, in: language) {
      report(entry.value, "\"\(entry.name)\": \(fault)")
      return nil
    }
    return PluralRule(language).map { PluralForms(rule: $0, forms: forms) }
  }
}
