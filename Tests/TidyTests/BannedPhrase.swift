/// A phrase that readers stumble over, and what to write instead.
struct BannedPhrase: Sendable {
  /// The words in their order; a bar separates alternatives, as in "is|are told". With a capital
  /// letter the phrase is banned only at the head of a statement, not of a question.
  let phrase: String
  let instead: String
  private let words: [Set<String>]
  private let isHead: Bool

  init(_ phrase: String, instead: String) {
    self.phrase = phrase
    self.instead = instead
    words = phrase.lowercased().split(separator: " ").map { word in
      Set(word.split(separator: "|").map(String.init))
    }
    isHead = phrase.first?.isUppercase ?? false
  }

  /// Checks comments, strings, names and documents. A phrase may continue in the next line.
  static func violations(in file: ProjectFile) -> [Violation] {
    guard isProse(file) else { return [] }
    let tokens = Token.all(in: file.text, isSwift: false)
    return tokens.indices.flatMap { index in
      byFirstWord[tokens[index].text.lowercased(), default: []]
        .filter { $0.matches(tokens, at: index) }
        .map { file.violation(line: tokens[index].line, "`\($0.phrase)`: \($0.instead)") }
    }
  }

  private static let byFirstWord = list.reduce(into: [String: [BannedPhrase]]()) { index, phrase in
    for word in phrase.words.first ?? [] { index[word, default: []].append(phrase) }
  }

  /// Data is not prose. Legal texts and the messages in catalogs keep the words of their authors.
  private static func isProse(_ file: ProjectFile) -> Bool {
    let textsOfOthers = ["LICENSE", "config/packaging/copyright", "config/catalogs/"]
    let samples = "Tests/TidyTests/BannedPhrase"
    return ![".ics", ".ndjson", ".svg"].contains(where: file.path.hasSuffix)
      && !(textsOfOthers + [samples]).contains(where: file.path.hasPrefix)
  }

  private func matches(_ tokens: [Token], at start: Int) -> Bool {
    if isHead, !tokens[start].isCapitalized || tokens.isQuestion(from: start) { return false }
    var index = start
    for word in words.dropFirst() {
      index = tokens.nextInProse(after: index)
      guard index < tokens.count, word.contains(tokens[index].text.lowercased()) else {
        return false
      }
    }
    return true
  }
}

extension Token {
  fileprivate var isCapitalized: Bool { text.first?.isUppercase ?? false }
}

extension [Token] {
  /// Returns the index of the next token, after the marker of a comment at the start of a line.
  fileprivate func nextInProse(after index: Int) -> Int {
    var next = index + 1
    while next < count, self[next].line > self[index].line,
      ["/", "*", "#"].contains(self[next].text)
    { next += 1 }
    return next
  }

  /// Whether a question mark ends the sentence that contains the token at `index`.
  fileprivate func isQuestion(from index: Int) -> Bool {
    self[index...].first { [".", ";", "?"].contains($0.text) }?.text == "?"
  }
}
