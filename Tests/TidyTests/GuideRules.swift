/// Checks that the names in the guide to the sources exist, because a rename can miss the guide.
/// Also checks that its glossary stays short.
enum GuideRules {
  static let path = "Sources/ARCHITECTURE.md"
  static let glossary = "## Words of the house"
  /// The maximum number of words in the glossary. Readers do not learn more.
  static let wordsMax = 40

  /// Reports each word of the glossary beyond the first 40.
  static func glossarySize(in file: ProjectFile) -> [Violation] {
    guard file.path == path else { return [] }
    let rows = file.numberedLines.drop { $0.1 != glossary }.filter { $0.1.hasPrefix("| ") }
    // The first two rows are the heading and the line below it.
    return rows.dropFirst(wordsMax + 2).map { number, _ in
      file.violation(line: number, "the glossary has more than \(wordsMax) words")
    }
  }

  /// Checks the names in backquotes: a type has to be declared, a path has to exist.
  static func names(in tree: ProjectTree) -> [Violation] {
    guard let guide = tree.file(path) else { return [] }
    let types = declaredTypes(in: tree)
    return guide.numberedLines.flatMap { number, line in
      line.matches(of: #/`([^`]+)`/#).compactMap { match in
        problem(with: match.output.1, types, tree).map { guide.violation(line: number, $0) }
      }
    }
  }

  private static func problem(
    with name: Substring, _ types: Set<String>, _ tree: ProjectTree
  ) -> String? {
    if tree.paths.contains(String(name)) { return nil }
    if name.wholeMatch(of: #/[A-Z][A-Za-z0-9]+(?:\.[a-z][A-Za-z]*)?/#) != nil {
      let type = name.prefix { $0 != "." }
      return types.contains(String(type)) ? nil : "no type is called `\(type)`"
    }
    let directories = ["Sources/", "Tests/", "config/", "systemd/", ".github/", ".ci/"]
    guard directories.contains(where: name.hasPrefix), !name.contains("*") else { return nil }
    let path = name.last == "/" ? name.dropLast() : name
    return tree.paths.contains(String(path)) ? nil : "there is no `\(name)`"
  }

  private static let introducers: Set = [
    "actor", "class", "enum", "protocol", "struct", "typealias",
  ]

  /// The types and modules of the project.
  private static func declaredTypes(in tree: ProjectTree) -> Set<String> {
    var types = Set(tree.files.compactMap(\.target))
    for file in tree.files {
      for (word, name) in zip(file.tokens, file.tokens.dropFirst())
      where introducers.contains(word.text) { types.insert(name.text) }
    }
    return types
  }
}
