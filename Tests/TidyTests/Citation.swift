/// A line that cites a rule of the contract.
struct Citation: Equatable {
  let identifier: Contract.Identifier
  let line: Int

  /// Returns the rules cited in the prose of a file. A citation is the word `rule` before one
  /// identifier, before a list or before a span; or a single identifier in brackets in a comment.
  static func inProse(of file: ProjectFile) -> [Citation] {
    file.lines.indices.flatMap { index -> [Citation] in
      let line = file.lines[index]
      let next = index + 1 < file.lines.count ? prose(file.lines[index + 1]) : ""
      let afterWord = line.contains("ule") ? identifiers(in: line, continuedBy: next) : []
      return (afterWord + bracketed(in: line)).map { Citation(identifier: $0, line: index + 1) }
    }
  }

  /// Returns the rules cited by test names, ``V7: ...`` or `v7...`, if there is a chapter V.
  static func inTestNames(of file: ProjectFile, chapters: Set<Character>) -> [Citation] {
    file.functions.filter(\.isTest).compactMap { function in
      guard let identifier = identifier(inTestName: function.name),
        chapters.contains(identifier.letter)
      else { return nil }
      return Citation(identifier: identifier, line: function.firstLine)
    }
  }

  private static func identifier(inTestName name: String) -> Contract.Identifier? {
    if name.hasPrefix("`") {
      return name.dropFirst().firstIndex(of: ":").flatMap { colon in
        Contract.Identifier(name[name.index(after: name.startIndex)..<colon])
      }
    }
    let digits = name.dropFirst().prefix { $0.isNumber }
    let rest = name.dropFirst(1 + digits.count)
    guard let letter = name.first, letter.isLowercase, !digits.isEmpty,
      rest.first?.isUppercase ?? false
    else { return nil }
    return Contract.Identifier(letter.uppercased() + digits)
  }

  // MARK: - Prose

  /// Returns the rules that the line cites. A list at the end of the line may continue in the next
  /// line.
  private static func identifiers(
    in line: Substring, continuedBy next: Substring
  ) -> [Contract.Identifier] {
    let list = #/\b[Rr]ules? +([A-Z][0-9]{1,2}\b(?:(?:, | and | to |, and )[A-Z][0-9]{1,2}\b)*)/#
    let text = prose(line)
    let bothLines = "\(text) \(next)"
    return bothLines.matches(of: list).filter { match in
      bothLines[..<match.range.lowerBound].utf8.count < text.utf8.count
    }.flatMap { expanded($0.output.1) }
  }

  /// Returns the text of a line without the marker of a comment.
  private static func prose(_ line: Substring) -> Substring {
    var text = line.drop { " /#*".contains($0) }
    while text.last == " " { text.removeLast() }
    return text
  }

  /// Returns the identifiers of a list with spans: four for "N1 to N3 and P7".
  private static func expanded(_ list: Substring) -> [Contract.Identifier] {
    var identifiers: [Contract.Identifier] = []
    var isSpan = false
    for word in list.split(whereSeparator: { " ,".contains($0) }) {
      guard let identifier = Contract.Identifier(word) else {
        isSpan = word == "to"
        continue
      }
      if isSpan, let first = identifiers.last, first.letter == identifier.letter {
        let between = first.number + 1..<max(first.number + 1, identifier.number)
        identifiers += between.map { Contract.Identifier(letter: first.letter, number: $0) }
      }
      identifiers.append(identifier)
      isSpan = false
    }
    return identifiers
  }

  private static func bracketed(in line: Substring) -> [Contract.Identifier] {
    guard line.contains("//"), line.contains("(") else { return [] }
    let comment = line.firstRange(of: "//").map { line[$0.lowerBound...] } ?? ""
    return comment.matches(of: #/\(([A-Z][0-9]{1,2})\)/#).compactMap {
      Contract.Identifier($0.output.1)
    }
  }
}
