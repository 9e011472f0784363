import Yams

extension CatalogReader {
  /// Reads `titles: {de: {categories: {LESSON: Lektionen}, groups: {lesson: [Lektionen, "Eine am
  /// Tag"], lesson.time: Uhrzeit}}}`: the titles on a settings page, in each language.
  mutating func readTitles(_ node: Node?) {
    for entry in keyedEntries(node, "titles") {
      guard let language = language(entry.key, "a key of \"titles\"") else { continue }
      let members = members(entry.value, of: "the titles in \"\(entry.name)\"", .titles)
      readTitles(members["categories"], "categories", in: language)
      readTitles(members["groups"], "reminders", in: language)
    }
  }

  /// Adds the title that a category's declaration contains.
  mutating func addTitle(of category: Category) {
    catalog.titles.add(
      Titles.Title(title: category.title, description: category.description),
      of: "categories.\(category.name)", in: language, isOwn: true)
  }

  /// Reads the titles of categories or groups in one language.
  ///
  /// - Parameter root: the first component of the items' preferences paths.
  private mutating func readTitles(_ node: Node?, _ root: String, in language: LanguageTag) {
    guard let node else { return }
    guard let mapping = node.mapping else {
      return report(node, "titles", mustBe: .names)
    }
    let names = catalog.titledPaths.filter { $0.hasPrefix(root + ".") }
      .map { String($0.dropFirst(root.utf8.count + 1)) }
    let known = Set(names)
    for (key, value) in mapping {
      let name = key.string ?? ""
      guard known.contains(name) else {
        if wrongParameters.contains("\(root).\(name)") { continue }
        report(key, "\"\(name)\" cannot have a title" + hint(name, names))
        continue
      }
      guard let title = title(value) else { continue }
      catalog.titles.add(
        title, of: "\(root).\(name)", in: language, isOwn: language == self.language)
    }
  }

  /// Reads `Lessons`, or `[Lessons, One each day]` with a description.
  private mutating func title(_ node: Node) -> Titles.Title? {
    guard let sequence = node.sequence else {
      return text(node, "a title").map { Titles.Title(title: $0) }
    }
    let words = sequence.compactMap { text($0, "a title") }
    guard words.count == 2, sequence.count == 2 else {
      if words.count == sequence.count {
        report(node, "a title must be a text, or a list of a title and a description")
      }
      return nil
    }
    return Titles.Title(title: words[0], description: words[1])
  }
}

extension CatalogReader {
  /// Reads `digest: {title: "{{count | one: # reminder | other: # reminders}}", line: "{{title}}",
  /// locales: {de: ...}}`: the title of digests, and the line for each member (rule V14).
  mutating func readDigest(_ node: Node?) {
    guard let node else { return }
    let members = members(node, of: "the digest", .digest)
    add(digestWords(members, in: language))
    for entry in keyedEntries(members["locales"], "locales") {
      guard let language = language(entry.key, "a locale") else { continue }
      let members = self.members(entry.value, of: "the digest in \"\(entry.name)\"", .digestWords)
      add(digestWords(members, in: language))
    }
  }

  /// Adds the words of a language. As for titles, the first catalog that declares words in a
  /// language takes precedence.
  private mutating func add(_ words: DigestWords.Words?) {
    guard let words else { return }
    catalog.digest.add(words)
  }

  private mutating func digestWords(
    _ members: [String: Node], in language: LanguageTag
  ) -> DigestWords.Words? {
    let title = members["title"].flatMap {
      template($0, "title", DigestWords.titlePlaceholders, in: language)
    }
    let line = members["line"].flatMap {
      template($0, "line", DigestWords.linePlaceholders, in: language)
    }
    return title.map { DigestWords.Words(language: language, title: $0, line: line) }
  }
}
