import Yams

extension CatalogReader {
  /// The texts of a message in other languages.
  ///
  /// - Parameter local: what places stand for in a language, where it is not the same in all.
  mutating func translations(
    _ node: Node?, _ names: [String: Template.Segment],
    _ local: [LanguageTag: [String: Template.Segment]]
  ) -> [Message.Translation]? {
    var translations: [Message.Translation] = []
    var isSound = true
    for entry in keyedEntries(node, "locales") {
      let translation = translation(entry, names, local)
      isSound = isSound && translation != nil
      if let translation { translations.append(translation) }
    }
    return isSound ? translations : nil
  }

  private mutating func translation(
    _ entry: YAMLEntry, _ names: [String: Template.Segment],
    _ local: [LanguageTag: [String: Template.Segment]]
  ) -> Message.Translation? {
    guard let language = language(entry.key, "a locale") else { return nil }
    let parts = members(
      entry.value, of: "the message in \"\(entry.name)\"", allowed: ["title", "body"],
      required: ["title", "body"])
    let names = names.merging(local[language] ?? [:]) { $1 }
    let title = parts["title"].flatMap { template($0, "title", names, in: language) }
    let body = parts["body"].flatMap { template($0, "body", names, in: language) }
    guard let title, let body else { return nil }
    return Message.Translation(language: language, title: title, body: body)
  }

  /// A language, such as `de` or `pt-BR`.
  mutating func language(_ node: Node, _ what: String) -> LanguageTag? {
    let text = node.string ?? ""
    guard let tag = LanguageTag(text) else {
      report(node, "\(what) must be a language such as de or pt-BR; \"\(text)\" is none")
      return nil
    }
    guard tag.isKnown else {
      report(
        node, "\"\(tag.language)\" is no language that is known" + hint(text, LanguageTag.known))
      return nil
    }
    return tag
  }
}
