/// Checks that every cited rule exists, and that the rules are in their chapters and short.
enum ContractRules {
  static func citations(in tree: ProjectTree) -> [Violation] {
    guard let file = tree.file(Contract.path) else {
      return [Violation(path: Contract.path, line: 1, message: "is missing: add it")]
    }
    let contract = Contract(file)
    return tree.files.filter(namesRules).flatMap { file in
      let citations =
        Citation.inProse(of: file)
        + (file.isInTests ? Citation.inTestNames(of: file, chapters: contract.letters) : [])
      return citations.filter { !contract.identifiers.contains($0.identifier) }.map {
        file.violation(line: $0.line, "there is no rule \($0.identifier) in `\(Contract.path)`")
      }
    }
  }

  /// Checks that the rules of a chapter are numbered from 1 without gaps, and that no chapter is
  /// interrupted by another.
  static func order(of file: ProjectFile) -> [Violation] {
    guard file.path == Contract.path else { return [] }
    var nextNumbers: [Character: Int] = [:]
    var chapter: Character?
    return Contract(file).entries.flatMap { entry -> [Violation] in
      let (letter, number) = (entry.identifier.letter, entry.identifier.number)
      let isOutsideChapter = letter != chapter && nextNumbers[letter] != nil
      let expected = nextNumbers[letter, default: 1]
      (chapter, nextNumbers[letter]) = (letter, number + 1)
      var messages: [String] = []
      if isOutsideChapter { messages.append("\(entry.identifier) is outside its chapter: move it") }
      if number != expected {
        messages.append("\(entry.identifier) is numbered wrongly: name it \(letter)\(expected)")
      }
      if entry.text.isEmpty { messages.append("\(entry.identifier) has no text: write it") }
      return messages.map { file.violation(line: entry.line, $0) }
    }
  }

  /// The maximum number of words of a rule. A longer rule contains several thoughts, which could
  /// not be cited separately.
  static let wordCountMax = 120

  static func lengths(of file: ProjectFile) -> [Violation] {
    guard file.path == Contract.path else { return [] }
    return Contract(file).entries.filter { $0.wordCount > wordCountMax }.map {
      let message =
        "\($0.identifier) has \($0.wordCount) words; at most \(wordCountMax) are allowed: "
        + "tighten or split it"
      return file.violation(line: $0.line, message)
    }
  }

  private static func namesRules(_ file: ProjectFile) -> Bool {
    let directories = ["Sources/", "Tests/", "config/", "systemd/"]
    return file.path == "Makefile" || directories.contains(where: file.path.hasPrefix)
  }
}
