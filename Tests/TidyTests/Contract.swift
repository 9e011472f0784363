/// The numbered rules of `Sources/RULES.md`.
struct Contract {
  static let path = "Sources/RULES.md"

  /// The identifier of a rule, such as V7.
  struct Identifier: Hashable, CustomStringConvertible {
    /// The letter of the chapter.
    let letter: Character
    let number: Int

    var description: String { "\(letter)\(number)" }

    /// Parses a capital letter and one or two digits; nil for any other text.
    init?(_ text: some StringProtocol) {
      guard let letter = text.first, letter.isASCII, letter.isUppercase,
        (1...2).contains(text.dropFirst().count), let number = Int(text.dropFirst()), number > 0
      else { return nil }
      self.init(letter: letter, number: number)
    }

    init(letter: Character, number: Int) {
      (self.letter, self.number) = (letter, number)
    }
  }

  struct Entry {
    let identifier: Identifier
    let line: Int
    /// The text of the first line.
    let text: Substring
    /// The number of words up to the next rule or heading.
    fileprivate(set) var wordCount: Int
  }

  /// The rules in the order of the file.
  let entries: [Entry]
  let identifiers: Set<Identifier>
  /// The letters of the chapters.
  let letters: Set<Character>

  /// Reads the lines that begin with an identifier in bold, `**V7** Gates apply...`.
  init(_ file: ProjectFile) {
    var rules: [Entry] = []
    var isInRule = false
    for (number, line) in file.numberedLines {
      if let (identifier, text) = Self.start(of: line) {
        let wordCount = Self.wordCount(of: text)
        rules.append(Entry(identifier: identifier, line: number, text: text, wordCount: wordCount))
        isInRule = true
      } else if line.hasPrefix("#") {
        isInRule = false
      } else if isInRule {
        rules[rules.count - 1].wordCount += Self.wordCount(of: line)
      }
    }
    entries = rules
    identifiers = Set(entries.map(\.identifier))
    letters = Set(identifiers.map(\.letter))
  }

  private static func start(of line: Substring) -> (identifier: Identifier, text: Substring)? {
    guard line.hasPrefix("**"), let end = line.dropFirst(2).firstRange(of: "**"),
      let identifier = Identifier(line[line.index(line.startIndex, offsetBy: 2)..<end.lowerBound])
    else { return nil }
    return (identifier, line[end.upperBound...].drop { $0 == " " })
  }

  private static func wordCount(of line: Substring) -> Int { line.split(separator: " ").count }
}
