import Yams

extension CatalogReader {
  /// `digest: {title: "{{count | one: # reminder | other: # reminders}}", line: "{{title}}",
  /// locales: {de: ...}}`: what stands above several that go out as one, and what each of them says
  /// (rule V6).
  mutating func readDigest(_ node: Node?) {
    guard let node else { return }
    let parts = members(
      node, of: "the digest", allowed: ["title", "line", "locales"], required: ["title"])
    add(digestWords(parts, in: language))
    for entry in keyedEntries(parts["locales"], "locales") {
      guard let language = language(entry.key, "a locale") else { continue }
      let parts = members(
        entry.value, of: "the digest in \"\(entry.name)\"", allowed: ["title", "line"],
        required: ["title"])
      add(digestWords(parts, in: language))
    }
  }

  /// What is said so first stays so, as the titles of what catalogs share.
  private mutating func add(_ words: DigestWords.Words?) {
    guard let words else { return }
    catalog.digest.add(words)
  }

  private mutating func digestWords(
    _ parts: [String: Node], in language: LanguageTag
  ) -> DigestWords.Words? {
    let title = parts["title"].flatMap {
      template($0, "title", DigestWords.titlePlaces, in: language)
    }
    let line = parts["line"].flatMap { template($0, "line", DigestWords.linePlaces, in: language) }
    return title.map { DigestWords.Words(language: language, title: $0, line: line) }
  }
}
